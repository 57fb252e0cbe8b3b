// The timeline shows when a call waits for its speech engines to load.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, people, place, read, timeline } from '../../../../testing/calls.ts';
import { codedStt } from '../../../../testing/coded-speech.ts';

test('while the engines load, the timeline says preparing; the call continues when they are ready (O8)', async () => {
  const loaded = Promise.withResolvers<void>();
  const stt = { ...codedStt(), ready: () => loaded.promise };
  const { client } = await startTestApp({}, { speech: () => codedSpeech({ stt }) });
  const { id } = await place(client, people.converses, { system_prompt: 'Ask for their name.' });
  const kinds = async () => (await timeline(client, id)).map(({ kind }) => kind);
  await eventually('the timeline says preparing', async () => (await kinds()).includes('preparing'));
  assert.equal((await read(client, id)).status, 'dialing');
  assert.ok(!(await kinds()).includes('placed'));
  loaded.resolve();
  assert.equal((await ended(client, id)).status, 'completed');
});

test('with loaded engines the timeline has no preparing entry (O8)', async () => {
  const { client } = await startTestApp({}, { speech: () => codedSpeech() });
  const { id } = await place(client, people.busy);
  await ended(client, id);
  assert.ok(!(await timeline(client, id)).some(({ kind }) => kind === 'preparing'));
});
