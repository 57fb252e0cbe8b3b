// How calls end: with each person of the sandbox, and what is stored of the call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  people,
  place,
  said,
  timeline,
  transcript,
} from '../../../../../testing/calls.ts';
import { sql } from '../../../../platform/db/sql.ts';

const { client, db, organization } = await startTestApp({}, { speech: () => codedSpeech() });

const boundNumbers = async () =>
  (await db.rows(sql`select id from pool_numbers where bound_call_id is not null`)).length;

test('a call to the person who converses ends completed with both sides in the transcript', async (t) => {
  const { id } = await place(client, people.converses, {
    system_prompt: 'Book an appointment for Tuesday. Then ask for their name.',
    metadata: { ticket: 7 },
  });
  const call = await ended(client, id);
  const turns = await transcript(client, id);
  for (const turn of turns) t.diagnostic(`${turn.started_ms} ${turn.speaker}: ${turn.text}`);
  assert.deepEqual([call.status, call.end_reason], ['completed', 'agent_hangup']);
  assert.deepEqual(call.metadata, { ticket: 7 });
  assert.equal(call.answered_by, 'human');
  assert.equal(call.provider, 'sandbox');
  assert.match(call.from!, /^\+1500555010[012]$/);
  assert.ok(call.started_at && call.ringing_at && call.answered_at && call.duration_seconds! > 0);
  assert.match(said(turns, 'agent'), /AI assistant.*appointment for Tuesday.*your name.*Goodbye/);
  assert.match(said(turns, 'person'), /Hello, this is Thomas.*Tuesday.*My name is Thomas/);
  assert.deepEqual(
    (await timeline(client, id)).map(({ kind }) => kind).filter((kind) => kind !== 'interrupted'),
    [
      'requested',
      'dialed',
      'placed',
      'rang',
      'answered',
      'answered_by',
      'tool_called',
      'tool_answered',
      'hung_up',
    ],
  );
  assert.equal(await boundNumbers(), 0);
});

const matrix = [
  ['busy', 'busy', 'busy', 'call.busy'],
  ['declines', 'busy', 'rejected', 'call.busy'],
  ['never_answers', 'no_answer', 'ring_timeout', 'call.no_answer'],
  ['unreachable', 'failed', 'unreachable', 'call.failed'],
  ['hangs_up', 'completed', 'callee_hangup', 'call.completed'],
  ['voicemail', 'completed', 'voicemail', 'call.completed'],
] as const;
for (const [person, status, end_reason, event] of matrix) {
  test(`a call to the sandbox person "${person}" ends ${status} with ${end_reason}`, async () => {
    const own = organization();
    const { id } = await place(own, people[person], { ring_timeout_seconds: 5 });
    const call = await ended(own, id);
    assert.deepEqual([call.status, call.end_reason], [status, end_reason]);
    const { body } = await own.request<{ items: { type: string; data: Record<string, unknown> }[] }>(
      'GET',
      '/v1/events',
    );
    const published = body.items.find(({ type }) => type === event);
    assert.ok(published, `published: ${body.items.map(({ type }) => type)}`);
    assert.deepEqual(
      [
        published.data.id,
        published.data.status,
        published.data.end_reason,
        published.data.to,
        published.data.from,
      ],
      [id, status, end_reason, call.to, call.from],
    );
    assert.equal(body.items.filter(({ type }) => type === 'call.answered').length, call.answered_at ? 1 : 0);
    assert.equal(await boundNumbers(), 0);
    if (person === 'voicemail') assert.equal(call.answered_by, 'machine');
    const last = (await timeline(own, id)).at(-1)!;
    assert.equal(last.detail.end_reason, end_reason);
  });
}

test('keys that the person presses are in the timeline', async () => {
  const { id } = await place(client, people.presses_digits, { system_prompt: 'Ask for their name.' });
  assert.equal((await ended(client, id)).status, 'completed');
  const pressed = (await timeline(client, id)).filter(({ kind }) => kind === 'digits_pressed');
  assert.equal(pressed.map(({ detail }) => detail.digits).join(''), '12#');
});

test('a call ends at its maximum duration', async () => {
  const { id } = await place(client, people.converses, {
    max_duration_seconds: 30,
    system_prompt:
      'Ask for their name. Ask when they open. Ask what it costs. Ask where they are located. Book a table for Tuesday. Ask how they are.',
  });
  const call = await ended(client, id);
  assert.deepEqual([call.status, call.end_reason, call.duration_seconds], ['completed', 'max_duration', 30]);
});

test('a recorded call has a recording of its full length with both voices', async () => {
  const { id } = await place(client, people.converses, {
    record: true,
    system_prompt: 'Ask for their name.',
  });
  const call = await ended(client, id);
  assert.ok(call.recording_url?.endsWith(`/v1/calls/${id}/recording`));
  const redirect = await client.request('GET', `/v1/calls/${id}/recording`);
  assert.equal(redirect.status, 302);
  const file = await fetch(redirect.headers.get('location')!);
  assert.equal(file.headers.get('content-type'), 'audio/wav');
  const wav = Buffer.from(await file.arrayBuffer());
  assert.equal(wav.toString('latin1', 0, 4), 'RIFF');
  assert.equal(wav.readUInt32LE(40), wav.length - 44);
  const seconds = (wav.length - 44) / 32_000;
  assert.ok(Math.abs(seconds - call.duration_seconds!) <= 2, `${seconds} s of ${call.duration_seconds} s`);
  for (const channel of [0, 1]) {
    let loud = 0;
    for (let at = 44 + 2 * channel; at < wav.length; at += 4) if (wav.readInt16LE(at) > 1000) loud++;
    assert.ok(loud > 8000, `channel ${channel} is silent`);
  }
});

test('a call without record has no recording', async () => {
  const { id } = await place(client, people.hangs_up);
  const call = await ended(client, id);
  assert.equal(call.recording_url, null);
  const response = await client.request<{ code: string }>('GET', `/v1/calls/${id}/recording`);
  assert.deepEqual([response.status, response.body.code], [404, 'recording_not_found']);
});
