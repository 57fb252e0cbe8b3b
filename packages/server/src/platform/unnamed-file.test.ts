// A temporary file has no name while it is used, is read from its start, and cannot be read after it is closed.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import { openUnnamedFile } from './unnamed-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-unnamed-'));
const before = process.env.TMPDIR;
process.env.TMPDIR = folder;
after(async () => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await rm(folder, { recursive: true });
});

test('no file and no folder is left on the disk while the content is used', async () => {
  const content = randomBytes(200_000);
  const file = await openUnnamedFile();
  await pipeline([content.subarray(0, 70_001), content.subarray(70_001)], file.writer());
  assert.deepEqual(await readdir(folder), []);
  assert.deepEqual(await buffer(file.reader()), content);
  await file.close();
});

test('the start can be replaced, and the content is read more than once and at the same time', async () => {
  const file = await openUnnamedFile();
  await pipeline([Buffer.from('length unknown: audio')], file.writer());
  await file.replaceStart(Buffer.from('length 21'));
  file.reader().destroy();
  const [first, second] = await Promise.all([buffer(file.reader()), buffer(file.reader())]);
  assert.equal(first.toString(), 'length 21known: audio');
  assert.deepEqual(second, first);
  await file.close();
});

test('a reader or writer that is left behind fails after the file is closed', async () => {
  const file = await openUnnamedFile();
  await pipeline([Buffer.from('a recording')], file.writer());
  const reader = file.reader();
  await file.close();
  await file.close();
  await assert.rejects(buffer(reader), { code: 'EBADF' });
  await assert.rejects(pipeline([Buffer.from('more')], file.writer()), { code: 'EBADF' });
});
