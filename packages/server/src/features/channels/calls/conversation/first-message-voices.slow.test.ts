// Calls that overlap, spoken and recognized by the bundled engines: people who greet twice hear the first message whole.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { heldEngines } from '../../../../../testing/held-engines.ts';
import { steppedClock } from '../../../../../testing/stepped-clock.ts';
import { offlineLlm } from '../../../../providers/llm/offline/index.ts';
import { memoryCall } from '../../../../providers/media/memory-session.ts';
import { moonshineStt } from '../../../../providers/stt/moonshine/index.ts';
import { fliteTts } from '../../../../providers/tts/flite/index.ts';
import { sileroVad } from '../../../../providers/vad/silero/index.ts';
import type { Step } from '../sandbox-people/people.ts';
import { playPerson } from '../sandbox-people/person.ts';
import type { SaidFact } from './facts.ts';
import { speakOnCall } from './voice-agent.ts';

const real = { vad: sileroVad(), stt: moonshineStt({ threads: 1 }), tts: fliteTts() };
before(() => Promise.all(Object.values(real).map((engine) => engine.ready())));
after(() => Promise.all(Object.values(real).map((engine) => engine.close())));

const first_message =
  'Good morning, this is the repair shop. Your bicycle is ready, and you can fetch it today.';

const greetsTwice = (voice: string, gap_ms: number, second: string): { voice: string; steps: Step[] } => ({
  voice,
  steps: [
    { do: 'say', text: 'Hello.' },
    { do: 'wait', ms: gap_ms },
    { do: 'say', text: second },
    { do: 'wait', ms: 14_000 },
    { do: 'hang_up' },
  ],
});

test('U2: eight overlapping calls to people who greet twice: each hears the first message whole, before the model speaks', {
  timeout: 300_000,
}, async (t) => {
  const clock = steppedClock();
  const engines = { ...heldEngines(clock, real), clock };
  const people = [900, 1200, 1500, 1800, 2200].map((gap_ms) => greetsTwice('rms', gap_ms, 'Hello?'));
  people.push(greetsTwice('awb', 1400, 'Hello?'), greetsTwice('slt', 1000, 'Yes? Hello?'));
  people.push(greetsTwice('rms', 300, 'Who is there, please?'));
  const calls = people.map(({ voice, steps }, index) => {
    const { caller, callee } = memoryCall({ clock });
    const said: SaidFact[] = [];
    const state = { said, is_over: false };
    void playPerson({ ...engines, voice }, callee, steps);
    void speakOnCall(
      { ...engines, llm: offlineLlm(), emit: (fact) => fact.kind === 'said' && said.push(fact) },
      caller,
      {
        direction: index % 2 === 0 ? 'outbound' : 'inbound',
        system_prompt: 'Ask whether they want to fetch it today.',
        first_message,
        language: 'en',
        voice: 'kal16',
        model: null,
        ai_disclosure: index === 2,
        max_duration_ms: 60_000,
      },
      new AbortController().signal,
    ).then(() => {
      state.is_over = true;
    });
    return state;
  });
  await clock.passUntil(() => calls.every(({ is_over }) => is_over), 90_000);
  for (const [index, { said }] of calls.entries()) {
    const words = said.map(({ speaker, text }) => `${speaker}: ${text}`).join(' | ');
    t.diagnostic(words);
    const first = said.find(({ speaker }) => speaker === 'agent');
    assert.ok(first?.text.endsWith(first_message) && !first.is_interrupted, `call ${index}: ${words}`);
  }
});
