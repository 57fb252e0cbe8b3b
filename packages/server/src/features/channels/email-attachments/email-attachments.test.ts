// Attachments over HTTP, with the whole service.
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { EmailAttachment } from '@parley/contract/channels/emails/email-attachments';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';

type Problem = { code: string; detail: string; errors?: { path: string }[] };
type Upload = EmailAttachment & { attachments: EmailAttachment[] };

const { app, db, client, organization, url, data_dir } = await startTestApp({
  PARLEY_ATTACHMENT_MAX_BYTES: '100000',
  PARLEY_EMAIL_ATTACHMENTS_MAX_BYTES: '150000',
});

const upload = async (
  of: Client,
  files: [name: string, content: Buffer | string, type?: string, field?: string][],
) => {
  const form = new FormData();
  for (const [name, content, type, field] of files)
    form.append(field ?? 'file', new Blob([content as string], type ? { type } : {}), name);
  const answer = await fetch(`${url}/v1/email-attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${of.key}` },
    body: form,
  });
  return { status: answer.status, body: (await answer.json()) as Upload & Problem };
};
const email = { recipient_consent: true, to: ['bob@example.org'], subject: 'With a file' };
const send = (of: Client, attachment_ids: string[]) =>
  of.request<Email & Problem>('POST', '/v1/emails', { ...email, attachment_ids });
const objects = async () =>
  (await readdir(join(data_dir, 'objects', 'attachments'), { recursive: true, withFileTypes: true })).filter(
    (each) => each.isFile(),
  ).length;

describe('an upload', () => {
  test('returns a reusable id with size and hash', async () => {
    const content = randomBytes(50_000);
    const { status, body } = await upload(client, [['über "x".pdf', content, 'application/pdf']]);
    assert.equal(status, 201);
    assert.equal(body.size_bytes, 50_000);
    assert.equal(body.sha256, createHash('sha256').update(content).digest('hex'));
    assert.equal(body.content_type, 'application/pdf');
    assert.match(body.filename, /^über .*\.pdf$/);
    assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 30 * 86_400_000);
    assert.deepEqual(
      body.attachments.map((each) => each.id),
      [body.id],
    );
  });

  test('that is refused half-way does not block the next request on its connection (O7)', {
    timeout: 30_000,
  }, async () => {
    // Larger than one read, so that a part of it still arrives while the response is sent.
    const { status } = await upload(client, [['large.bin', Buffer.alloc(2_000_000)]]);
    assert.equal(status, 413);
    for (let i = 0; i < 3; i++) assert.equal((await client.request('GET', '/v1/whoami')).status, 200);
  });

  test('accepts several files in one request', async () => {
    const { status, body } = await upload(client, [
      ['a.txt', 'a'],
      ['b.txt', 'b'],
    ]);
    assert.equal(status, 201);
    assert.deepEqual(
      body.attachments.map((each) => each.filename),
      ['a.txt', 'b.txt'],
    );
  });

  test('keeps only the last part of a path and no unsafe media type', async () => {
    const { body } = await upload(client, [['../../etc/pass\u202ewd', 'x', 'multipart/mixed']]);
    assert.deepEqual([body.filename, body.content_type], ['passwd', 'application/octet-stream']);
  });

  test('of exactly the limit is accepted; one byte more is 413 and stores nothing', async () => {
    assert.equal((await upload(client, [['max.bin', Buffer.alloc(100_000)]])).status, 201);
    const before = await objects();
    const { status, body } = await upload(client, [['more.bin', Buffer.alloc(100_001)]]);
    assert.deepEqual([status, body.code], [413, 'attachment_too_large']);
    assert.equal(await objects(), before);
  });

  test('without a file, with another field name, with too many files or in another format is refused', async () => {
    assert.deepEqual((await upload(client, [])).body.code, 'file_missing');
    assert.deepEqual((await upload(client, [['a', 'a', 'text/plain', 'upload']])).body.code, 'file_missing');
    const many = Array.from({ length: 11 }, (_, i): [string, string] => [`${i}`, 'x']);
    assert.deepEqual((await upload(client, many)).body.code, 'too_many_files');
    const json = await client.request<Problem>('POST', '/v1/email-attachments', { file: 'x' });
    assert.deepEqual([json.status, json.body.code], [415, 'unsupported_media_type']);
    const raw = (headers: Record<string, string>, body: string) =>
      fetch(`${url}/v1/email-attachments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.key}`, ...headers },
        body,
      });
    const boundless = await raw({ 'content-type': 'multipart/form-data' }, 'x');
    assert.equal(((await boundless.json()) as Problem).code, 'malformed_upload');
    const cut = await raw(
      { 'content-type': 'multipart/form-data; boundary=b' },
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
    );
    assert.equal(((await cut.json()) as Problem).code, 'malformed_upload');
    const form = new FormData();
    form.append('file', new Blob(['x']), 'x');
    const elsewhere = await fetch(`${url}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}` },
      body: form,
    });
    assert.equal(elsewhere.status, 415);
  });

  test('whose client disconnects stores nothing', async () => {
    const before = await objects();
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/email-attachments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n' +
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
    );
    await once(socket, 'connect');
    await until(async () => (await objects()) > before);
    socket.destroy();
    await until(async () => (await objects()) === before);
  });
});

describe('an attachment', () => {
  test('can be used in many emails, and each links to its content', async () => {
    const { body: file } = await upload(client, [['note.txt', 'hello', 'text/plain']]);
    for (let i = 0; i < 2; i++) {
      const sent = await send(client, [file.id, file.id.toUpperCase(), file.id]);
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      const [link, ...more] = sent.body.attachments;
      assert.deepEqual(more, []);
      assert.deepEqual(
        { ...link, url: '' },
        { id: file.id, filename: 'note.txt', content_type: 'text/plain', size_bytes: 5, url: '' },
      );
      const answer = await client.request('GET', new URL(link!.url).pathname);
      assert.equal(answer.status, 302);
      const content = await fetch(answer.headers.get('location')!);
      assert.equal(await content.text(), 'hello');
      assert.match(content.headers.get('content-disposition')!, /^attachment/);
      assert.equal(content.headers.get('x-content-type-options'), 'nosniff');
    }
  });

  test('that is unknown, expired or of another organization is named in the error', async () => {
    const { body: other } = await upload(organization(), [['a', 'a']]);
    const { body: old } = await upload(client, [['a', 'a']]);
    await db.run(
      sql`update email_attachments set expires_at = now() - interval '1 day' where id = ${old.id}`,
    );
    const absent = randomUUID();
    for (const id of [absent, other.id]) {
      const answer = await send(client, [id]);
      assert.deepEqual([answer.status, answer.body.code], [422, 'attachment_not_found']);
      assert.ok(answer.body.detail.includes(id));
      assert.deepEqual(
        answer.body.errors?.map((error) => error.path),
        ['body.attachment_ids[0]'],
      );
    }
    const answer = await send(client, [old.id]);
    assert.deepEqual([answer.status, answer.body.code], [422, 'attachment_expired']);
    assert.ok(answer.body.detail.includes(old.id));
  });

  test('counts with the others toward the limit of one email', async () => {
    const one = await upload(client, [['a', Buffer.alloc(80_000)]]);
    const two = await upload(client, [['b', Buffer.alloc(80_000)]]);
    const answer = await send(client, [one.body.id, two.body.id]);
    assert.deepEqual([answer.status, answer.body.code], [422, 'attachments_too_large']);
    assert.deepEqual(
      answer.body.errors?.map((error) => error.path),
      ['body.attachment_ids'],
    );
  });

  test('is removed when it expires unused; one that an email uses stays readable', async () => {
    const { body: unused } = await upload(client, [['a', 'unused']]);
    const { body: used } = await upload(client, [['b', 'used']]);
    const sent = await send(client, [used.id]);
    const before = await objects();
    await db.run(sql`update email_attachments set expires_at = now() - interval '1 second'
                      where id in (${unused.id}, ${used.id})`);
    await app.jobs.enqueue(db, { kind: 'remove_unused_attachments' });
    await app.jobs.drain();
    assert.ok((await objects()) < before);
    assert.equal((await send(client, [unused.id])).body.code, 'attachment_not_found');
    const link = await client.request('GET', new URL(sent.body.attachments[0]!.url).pathname);
    assert.equal(await (await fetch(link.headers.get('location')!)).text(), 'used');
  });
});

const until = (holds: () => Promise<boolean>) => waitFor(String(holds), holds);
