// The conformance suite of object storages; the test of each vendor runs it.
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { assertKey, type ObjectStorage } from './storage.ts';

export function storageConformance(name: string, storage: () => ObjectStorage): void {
  const key = () => `attachments/${randomUUID()}`;
  async function* chunks(...parts: (Uint8Array | string)[]) {
    for (const part of parts) yield Buffer.from(part as Uint8Array);
  }
  const text = { content_type: 'text/plain', max_bytes: 1024 };

  describe(`the object storage ${name}`, () => {
    test('stores an object byte for byte and returns its size and hash', async () => {
      const content = randomBytes(300_000);
      const at = key();
      const info = await storage().put(at, chunks(content.subarray(0, 70_000), content.subarray(70_000)), {
        content_type: 'application/octet-stream',
        max_bytes: 300_000,
      });
      assert.deepEqual(info, {
        size_bytes: 300_000,
        sha256: createHash('sha256').update(content).digest('hex'),
      });
      assert.deepEqual(await buffer((await storage().open(at))!), content);
    });

    test('stores a buffer too, or nothing if it is too large', async () => {
      const content = randomBytes(1000);
      const at = key();
      const info = await storage().put(at, content, text);
      assert.deepEqual(info, {
        size_bytes: 1000,
        sha256: createHash('sha256').update(content).digest('hex'),
      });
      assert.deepEqual(await buffer((await storage().open(at))!), content);
      const other = key();
      assert.deepEqual(await storage().put(other, randomBytes(1025), text), { too_large: true });
      assert.equal(await storage().open(other), null);
    });

    test('stores nothing of a stream that is too large', async () => {
      const at = key();
      const content = chunks(Buffer.alloc(800), Buffer.alloc(800), Buffer.alloc(800));
      assert.deepEqual(await storage().put(at, content, text), { too_large: true });
      assert.equal(await storage().open(at), null);
    });

    test('stores nothing of an upload that is aborted', async () => {
      const at = key();
      async function* broken() {
        yield Buffer.from('half');
        throw new Error('the sender went away');
      }
      await assert.rejects(storage().put(at, broken(), text), /went away/);
      assert.equal(await storage().open(at), null);
    });

    test('does not return removed objects, and removing twice is no error', async () => {
      const at = key();
      await storage().put(at, chunks('x'), text);
      await storage().remove(at);
      await storage().remove(at);
      assert.equal(await storage().open(at), null);
    });

    test('lists the keys below a prefix in order, page by page, and no others', async () => {
      const below = `listed/${randomUUID()}/`;
      const names = ['a-b', 'a/b', 'a/c/d', 'a0', 'a_', 'b/0', 'c'];
      const expected = names.map((name) => below + name).sort();
      for (const name of [...expected, `${below.slice(0, -1)}x/a`, 'listed/0']) {
        await storage().put(name, Buffer.from('x'), text);
      }
      for (const limit of [1, 3, expected.length, 100]) {
        const keys: string[] = [];
        let after: string | null = below;
        while (after !== null) {
          const page: Awaited<ReturnType<ObjectStorage['list']>> = await storage().list(below, {
            after,
            limit,
          });
          assert.ok(page.keys.length <= limit);
          keys.push(...page.keys);
          after = page.next;
        }
        assert.deepEqual(keys, expected);
      }
      assert.deepEqual(await storage().list(below, { after: `${below}a/b`, limit: 2 }), {
        keys: [`${below}a/c/d`, `${below}a0`],
        next: `${below}a0`,
      });
      assert.deepEqual(await storage().list('nothing/', { after: '', limit: 9 }), { keys: [], next: null });
    });

    test('returns the time when an object was stored', async () => {
      const at = key();
      assert.equal(await storage().storedAt(at), null);
      const before = Date.now();
      await storage().put(at, chunks('x'), text);
      const stored = (await storage().storedAt(at))!.getTime();
      // A storage may round to seconds.
      assert.ok(stored >= before - 2000 && stored <= Date.now() + 2000, String(stored - before));
    });

    test('creates links that download under the requested name and do not work for another object', async () => {
      const [at, other] = [key(), key()];
      await storage().put(at, chunks('hello'), text);
      await storage().put(other, chunks('secret'), text);
      const link = await storage().link(at, { filename: 'naïve "file".html', content_type: 'text/html' });
      const response = await fetch(link);
      assert.equal(response.status, 200);
      assert.equal(await response.text(), 'hello');
      assert.match(
        response.headers.get('content-disposition')!,
        /^attachment;.*filename\*=UTF-8''na%C3%AFve/,
      );
      assert.equal((await fetch(link.replace(at, other))).status, 403);
      assert.equal((await fetch(link.slice(0, -1) + (link.endsWith('0') ? '1' : '0'))).status, 403);
    });

    test('is usable', () => storage().check());

    test('refuses keys that could leave the storage folder', () => {
      for (const bad of ['../x', '/etc/passwd', 'a//b', 'a/../b', '', 'A', 'a%2e', 'a\0'])
        assert.throws(() => assertKey(bad), bad);
    });
  });
}
