// The promise of the first minute: one POST, no account, and two voices that understand each other.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestApp } from '../../../testing/app.ts';
import { people, place, read, said, transcript } from '../../../testing/calls.ts';
import { heldEngines } from '../../../testing/held-engines.ts';
import { type SteppedClock, steppedClock } from '../../../testing/stepped-clock.ts';

let passing = true;
after(() => {
  passing = false;
});

test('a call to the one who converses, with the engines of this machine, ends completed and makes sense', {
  timeout: 120_000,
}, async (t) => {
  // Time stands still while the engines work, so that a busy machine hears the same call.
  const clock: SteppedClock = steppedClock();
  const { client } = await startTestApp(
    {},
    { speech: (offline) => ({ ...heldEngines(clock, offline), llm: offline.llm, clock }) },
  );
  const { id } = await place(client, people.converses, {
    system_prompt: 'Call the dentist and book an appointment for Tuesday. Then ask for their name.',
    record: true,
  });
  let call = await read(client, id);
  while (passing && call.ended_at === null) {
    await clock.pass(1000);
    call = await read(client, id);
  }
  const turns = await transcript(client, id);
  for (const turn of turns) t.diagnostic(`${turn.speaker}: ${turn.text}`);
  assert.deepEqual([call.status, call.end_reason, call.answered_by], ['completed', 'agent_hangup', 'human']);
  assert.match(said(turns, 'agent'), /AI assistant.*appointment for Tuesday.*your name.*Goodbye/);
  for (const word of [/hello/i, /tuesday/i, /my name is thomas/i]) assert.match(said(turns, 'person'), word);
  assert.ok(call.recording_url);
});
