// A recording is kept in a file until the object storage has it, also when the process is killed in between.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestApp } from '../../../../../../testing/app.ts';
import { ended, people, place, read, timeline } from '../../../../../../testing/calls.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { unknown_length, wavHeader } from '../../../../../protocols/audio/wav.ts';

const { app, client, db, data_dir } = await startTestApp();
const folder = join(data_dir, 'recordings');
const objects = join(data_dir, 'objects', 'recordings');

const recordedCall = async () => {
  const { id } = await place(client, people.converses, {
    record: true,
    system_prompt: 'Ask for their name.',
  });
  return ended(client, id);
};

test('F3: a recording that the object storage does not take is stored as soon as it does', async () => {
  // A file in the place of the folder: nothing can be stored below it.
  await mkdir(join(data_dir, 'objects'), { recursive: true });
  await rm(objects, { recursive: true, force: true });
  await writeFile(objects, '');
  const call = await recordedCall();
  assert.equal(call.recording_url, null);
  const kinds = (await timeline(client, call.id)).map(({ kind }) => kind);
  assert.ok(!kinds.includes('recorded') && !kinds.includes('not_recorded'), String(kinds));
  await app.storeLateRecordings();
  assert.equal((await readdir(folder)).length, 1);
  await rm(objects);
  await app.storeLateRecordings();
  const stored = await read(client, call.id);
  assert.ok(stored.recording_url);
  const link = await client.request('GET', `/v1/calls/${call.id}/recording`);
  assert.equal(link.status, 302);
  assert.ok((await timeline(client, call.id)).some(({ kind }) => kind === 'recorded'));
  assert.deepEqual(await readdir(folder), []);
});

test('F3: the recording of a process that was killed during the call is stored by the next one', async () => {
  const { id } = await recordedCall();
  const { organization_id } = client;
  await db.run(sql`
    update calls set recording_key = null, recording_bytes = null where id = ${id} and organization_id = ${organization_id}`);
  const header = wavHeader({ rate_hz: 8000, channels: 2, data_bytes: unknown_length });
  const path = join(folder, `${organization_id}.${id}.wav`);
  // The last sample is not whole.
  await writeFile(path, Buffer.concat([header, Buffer.alloc(4003)]));
  await app.storeLateRecordings();
  assert.equal((await read(client, id)).recording_url, null, 'the process may still write it');
  const before = new Date(Date.now() - 10 * 60_000);
  await utimes(path, before, before);
  await app.storeLateRecordings();
  assert.ok((await read(client, id)).recording_url);
  assert.deepEqual(await readdir(folder), []);
});

test('F3: the file of an erased or unknown call is deleted', async () => {
  const { id } = await recordedCall();
  const { organization_id } = client;
  await db.run(sql`
    update calls set recording_key = null, recording_bytes = null, content_erased_at = now()
     where id = ${id} and organization_id = ${organization_id}`);
  for (const call_id of [id, randomUUID()])
    await writeFile(join(folder, `${organization_id}.${call_id}.complete`), Buffer.alloc(100));
  await app.storeLateRecordings();
  assert.deepEqual(await readdir(folder), []);
  assert.equal((await read(client, id)).recording_url, null);
});
