// The quick start: one POST, no account, and two voices that understand each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { people, place, read, said, transcript } from '../../../../../testing/calls.ts';
import { heldEngines } from '../../../../../testing/held-engines.ts';
import { steppedClock } from '../../../../../testing/stepped-clock.ts';
import { pause } from '../../../../../testing/wait-for.ts';

/** The clock stops for the engines but not for the database, so each step leaves it a little real time. */
const database_pause_ms = 2;

test('a call to a sandbox person with the bundled engines ends completed and makes sense', {
  timeout: 300_000,
}, async (t) => {
  // The clock stops while the engines compute, so that the call is the same on a busy machine.
  const clock = steppedClock();
  const { client } = await startTestApp(
    {},
    {
      speech(offline) {
        const { vad, stt, tts } = heldEngines(clock, offline);
        return {
          vad: { ...vad, ready: () => clock.holdFor(vad.ready()) },
          stt: { ...stt, ready: () => clock.holdFor(stt.ready()) },
          tts: { ...tts, ready: () => clock.holdFor(tts.ready()) },
          llm: offline.llm,
          clock,
        };
      },
    },
  );
  const { id } = await place(client, people.converses, {
    system_prompt: 'Call the dentist and book an appointment for Tuesday. Then ask for their name.',
    record: true,
  });
  let call = await read(client, id);
  for (let step = 1; call.ended_at === null && !t.signal.aborted; step++) {
    await clock.pass(20);
    await pause(database_pause_ms, 'the database needs real time');
    if (step % 50 === 0) call = await read(client, id);
  }
  const turns = await transcript(client, id);
  for (const turn of turns) t.diagnostic(`${turn.speaker}: ${turn.text}`);
  assert.deepEqual([call.status, call.end_reason, call.answered_by], ['completed', 'agent_hangup', 'human']);
  assert.match(said(turns, 'agent'), /AI assistant.*appointment for Tuesday.*your name.*Goodbye/);
  for (const word of [/hello/i, /tuesday/i, /my name is thomas/i]) assert.match(said(turns, 'person'), word);
  assert.ok(call.recording_url);
});
