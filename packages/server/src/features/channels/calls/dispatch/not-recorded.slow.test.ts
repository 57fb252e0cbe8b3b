// A recording that cannot be started does not fail its call.
// Runs in its own process: it changes the folder for temporary files.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { ended, people, place, timeline } from '../../../../../testing/calls.ts';

test('a call whose recording cannot be started goes on without it, and the timeline says so', async () => {
  const { client, data_dir } = await startTestApp();
  // A file in the place of the folder of recordings, and no folder for temporary files either.
  await writeFile(`${data_dir}/recordings`, '');
  process.env.TMPDIR = `${data_dir}/missing`;
  const { id } = await place(client, people.converses, {
    record: true,
    system_prompt: 'Ask for their name.',
  });
  const record = await ended(client, id);
  const entries = await timeline(client, id);
  assert.deepEqual(
    [record.status, record.end_reason],
    ['completed', 'agent_hangup'],
    JSON.stringify(entries),
  );
  assert.equal(record.recording_url, null);
  const entry = entries.find(({ kind }) => kind === 'not_recorded');
  assert.equal(entry?.detail.detail, 'The recording could not be stored.');
});
