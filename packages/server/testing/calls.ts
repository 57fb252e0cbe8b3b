// Steps that tests of calls share: place a call, wait for a status or its end, read its timeline and transcript.
import assert from 'node:assert/strict';
import type { Call, CallEventKind, CallTurn } from '@parley/contract/channels/calls/call-records';
import type { Speech } from '../src/features/channels/calls/index.ts';
import { offlineLlm } from '../src/providers/llm/offline/index.ts';
import type { Client } from './client.ts';
import { codedStt, codedTts, codedVad } from './coded-speech.ts';
import { fastClock } from './fast-clock.ts';
import { waitFor } from './wait-for.ts';

export const people = {
  converses: '+15005550201',
  busy: '+15005550202',
  declines: '+15005550203',
  never_answers: '+15005550204',
  voicemail: '+15005550205',
  interrupts: '+15005550206',
  hangs_up: '+15005550207',
  presses_digits: '+15005550208',
  unreachable: '+15005550209',
  takes_transfers: '+15005550211',
  declines_transfers: '+15005550212',
  desk_machine: '+15005550213',
  menu: '+15005550214',
  hold_music: '+15005550215',
} as const;

/** Coded speech instead of engines, on a clock that runs faster than real time. */
export const codedSpeech = (more: Partial<Speech> = {}): Speech => ({
  vad: codedVad(),
  stt: codedStt(),
  tts: codedTts(),
  llm: offlineLlm(),
  clock: fastClock(10),
  ...more,
});

export async function place(of: Client, to: string, more: Record<string, unknown> = {}): Promise<Call> {
  const created = await of.request<Call>('POST', '/v1/calls', { to, recipient_consent: true, ...more });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.body.status, 'queued');
  return created.body;
}

export async function read(of: Client, id: string, query = ''): Promise<Call> {
  const response = await of.request<Call>('GET', `/v1/calls/${id}${query}`);
  assert.equal(response.status, 200, response.text);
  return response.body;
}

/** Only a failing test waits this long: all waits below end with the event that they wait for. */
const give_up_ms = 240_000;

/** The call after its end. */
export async function ended(of: Client, id: string): Promise<Call> {
  const deadline_ms = performance.now() + give_up_ms;
  for (;;) {
    const call = await read(of, id, '?wait_seconds=55');
    if (call.ended_at) return call;
    assert.ok(performance.now() < deadline_ms, `still ${call.status}`);
  }
}

/** The call when it has one of these statuses; fails if the call ends without it. */
export const until = (of: Client, id: string, ...statuses: Call['status'][]): Promise<Call> =>
  waitFor(
    `the call is ${statuses.join(' or ')}`,
    async () => {
      const call = await read(of, id);
      if (statuses.includes(call.status)) return call;
      assert.equal(call.ended_at, null, `${call.status} ${call.end_reason}`);
      return null;
    },
    { timeout_ms: give_up_ms },
  );

/** Repeats the check until it is true. */
export async function eventually(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor(what, check, { timeout_ms: give_up_ms });
}

type Entry = { kind: CallEventKind; detail: Record<string, unknown> };

/** Oldest first. */
export async function timeline(of: Client, id: string): Promise<Entry[]> {
  const response = await of.request<{ items: Entry[] }>('GET', `/v1/calls/${id}/events?limit=200`);
  assert.equal(response.status, 200, response.text);
  return response.body.items.reverse();
}

export async function transcript(of: Client, id: string): Promise<CallTurn[]> {
  const response = await of.request<{ turns: CallTurn[] }>('GET', `/v1/calls/${id}/transcript`);
  assert.equal(response.status, 200, response.text);
  return response.body.turns;
}

export const said = (turns: CallTurn[], speaker: CallTurn['speaker']): string =>
  turns.flatMap((turn) => (turn.speaker === speaker ? [turn.text] : [])).join(' ');
