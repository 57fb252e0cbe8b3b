// Calls on which a server of the organization converses over a socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import { startTestApp } from '../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  read,
  said,
  timeline,
  transcript,
} from '../../../../testing/calls.ts';
import { sayCoded } from '../../../../testing/coded-speech.ts';
import { relayServer } from '../../../../testing/relay-server.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { sql } from '../../../platform/db/sql.ts';
import { readWav } from '../../../protocols/audio/read-wav.ts';
import { wavHeader } from '../../../protocols/audio/wav.ts';

const secret = 'the secret of the relay';
const { client, db } = await startTestApp({}, { speech: () => codedSpeech() });

const question = 'Could you tell me your name?';
const sounds = await standIn(({ request }, response) => {
  if (request.url === '/missing') return void response.writeHead(404).end();
  const pcm = sayCoded(question);
  response.write(wavHeader({ rate_hz: 8000, channels: 1, data_bytes: pcm.byteLength }));
  response.end(Buffer.from(pcm.buffer));
});

const { url, sessions } = await relayServer(secret, (frame, session) => {
  const { customParameters: { asks, closing } = {} } = session.received[0] as {
    customParameters?: { asks?: string; closing?: string };
  };
  if (frame.type === 'setup') {
    if (asks !== 'by sound') return session.says(question);
    session.send({ type: 'language', ttsLanguage: 'en-GB', transcriptionLanguage: 'en-GB' });
    session.send({ type: 'play', source: `${sounds.url}/missing`, loop: 0 });
    session.send({ type: 'play', source: `${sounds.url}/question.wav` });
  }
  if (frame.last === false) return;
  if (frame.type !== 'prompt') return;
  if (!/name is/.test(String(frame.voicePrompt))) return session.says(question);
  session.send({ type: 'text', token: 'Thank you, ' });
  // The person hangs up after a goodbye.
  session.says(closing ?? 'Thomas. Goodbye.');
  session.send({ type: 'end', handoffData: '{"reason":"done"}' });
});

type Problem = { code: string; errors?: { path: string }[] };
const createAgent = (relay: object, more: object = {}) =>
  client.request<Agent & Problem>('POST', '/v1/agents', { name: 'Relayed', engines: { relay, ...more } });

test('a server with ConversationRelay frames converses on a call, and its secret is never shown', async () => {
  const agent = await createAgent({ url, secret, parameters: { k: 'v' } });
  assert.equal(agent.status, 201, agent.text);
  assert.deepEqual(agent.body.engines.relay, { url, parameters: { k: 'v' } });
  assert.ok(!agent.text.includes(secret));
  const placed = await place(client, people.converses, { agent_id: agent.body.id });
  const call = await ended(client, placed.id);
  assert.deepEqual(
    [call.status, call.end_reason],
    ['completed', 'agent_hangup'],
    JSON.stringify(await timeline(client, call.id)),
  );
  const turns = await transcript(client, call.id);
  assert.match(said(turns, 'agent'), /Could you tell me your name\?.*Thank you, Thomas\. Goodbye\./);

  const [{ received, request } = { received: [], request: null }] = sessions;
  assert.match(String(request!.headers['x-service-signature']), /^t=\d+,v1=[0-9a-f]{64}$/);
  const setup = received[0]!;
  assert.deepEqual(
    [
      setup.type,
      setup.callSid,
      setup.from,
      setup.to,
      setup.direction,
      setup.callStatus,
      setup.customParameters,
    ],
    [
      'setup',
      `CA${call.id.replaceAll('-', '')}`,
      call.from,
      call.to,
      'outbound-api',
      'IN-PROGRESS',
      { k: 'v' },
    ],
  );
  assert.match(String(setup.sessionId), /^VX[0-9a-f]{32}$/);
  const end = (await timeline(client, call.id)).find(({ kind }) => kind === 'relay_ended');
  assert.equal(end!.detail.handoff_data, '{"reason":"done"}');
  assert.equal(call.handoff_data, '{"reason":"done"}');
  const path = `/v1/events?type=call.completed&resource_id=${call.id}`;
  const completed = await client.request<{ items: { data: { handoff_data: string } }[] }>('GET', path);
  assert.equal(completed.body.items[0]!.data.handoff_data, '{"reason":"done"}');

  const stored = await db.rows<{ row: string }>(sql`
    select agents::text as row from agents union all select calls::text from calls`);
  assert.ok(stored.every(({ row }) => !row.includes(secret)));
});

test('a relay gets partial prompts, changes the language and plays a sound that the person hears', async () => {
  const relay = { url, secret, parameters: { asks: 'by sound' }, partial_prompts: true };
  const body = { name: 'Relayed', engines: { relay }, ai_disclosure: false };
  const agent = await client.request<Agent>('POST', '/v1/agents', body);
  assert.deepEqual(agent.body.engines.relay, {
    url,
    parameters: { asks: 'by sound' },
    partial_prompts: true,
  });
  const { id } = await place(client, people.converses, { agent_id: agent.body.id });
  const call = await ended(client, id);
  assert.equal(call.end_reason, 'agent_hangup');
  assert.match(said(await transcript(client, id), 'person'), /name is Thomas/);
  const { received } = sessions.find(({ received }) => received[0]!.callControlId === id)!;
  const errors = received.filter(({ type }) => type === 'error');
  assert.deepEqual(
    errors.map(({ description }) => description),
    ['play: the sound was answered with 404'],
  );
  const prompts = received.filter(({ type }) => type === 'prompt');
  const partial = prompts.filter(({ last }) => last === false);
  assert.ok(partial.length > 0);
  const whole = prompts.findLast(({ last }) => last === true)!;
  assert.ok(
    String(whole.voicePrompt).startsWith(String(partial.at(-1)!.voicePrompt)),
    JSON.stringify(prompts),
  );
  assert.deepEqual(new Set(prompts.map(({ lang }) => lang)), new Set(['en-GB']));
});

const desk = { name: 'desk', phone: people.takes_transfers, recipient_consent: true };

test('a relay that hands over transfers the call, and its data is the briefing of the colleague', async () => {
  const parameters = { closing: 'Thomas. I will put you through.' };
  const relay = { url, secret, parameters, on_end: { transfer: 'desk' } };
  const refused = await createAgent(relay);
  assert.deepEqual(
    [refused.status, refused.body.errors?.[0]?.path],
    [422, 'body.engines.relay.on_end.transfer'],
  );
  const body = { name: 'Relayed', engines: { relay }, destinations: [desk], ai_disclosure: false };
  const agent = await client.request<Agent>('POST', '/v1/agents', body);
  assert.equal(agent.status, 201, agent.text);
  const { id } = await place(client, people.converses, { agent_id: agent.body.id });
  await eventually('connected', async () => {
    const { transfer, ended_at } = await read(client, id);
    assert.equal(ended_at, null, JSON.stringify(transfer));
    return transfer?.status === 'connected';
  });
  await client.request('POST', `/v1/calls/${id}/cancel`);
  const { transfer } = await ended(client, id);
  assert.deepEqual(
    [transfer!.destination, transfer!.requested_by, transfer!.reason],
    ['desk', 'agent', 'Reason: done.'],
  );
  const turns = await transcript(client, id);
  const briefing = turns.find(({ is_private, speaker }) => is_private && speaker === 'agent')!;
  assert.match(briefing.text, /^Reason: done\. /);
  const kinds = (await timeline(client, id)).map(({ kind }) => kind);
  assert.ok(kinds.indexOf('relay_ended') < kinds.indexOf('transfer_requested'), kinds.join());
});

test('a relay that cannot be reached ends the call before it is dialed', async () => {
  const relay = { url: url.replace('relay', 'other'), secret: 'another secret' };
  const placed = await place(client, people.converses, { engines: { relay } });
  const call = await ended(client, placed.id);
  assert.deepEqual(
    [call.status, call.end_reason, call.started_at === null],
    ['failed', 'setup_error', false],
  );
  const { detail } = (await timeline(client, call.id)).find(({ kind }) => kind === 'broke')!;
  assert.match(String(detail.detail), /^relay: not connected: .*401/);
});

test('a relay needs a secret and a WebSocket address, and no model beside it', async () => {
  const path = async (relay: object, more: object = {}) =>
    (await createAgent(relay, more)).body.errors?.[0]?.path;
  assert.equal(await path({ url }), 'body.engines.relay.secret');
  assert.equal(await path({ url: 'https://relay.example.com', secret }), 'body.engines.relay.url');
  assert.equal(await path({ url, secret }, { llm: { provider: 'openai-compatible' } }), 'body.engines.relay');
  const agent = await createAgent({ url, secret });
  const changed = await client.request<Agent>('PATCH', `/v1/agents/${agent.body.id}`, {
    engines: { relay: { url, dtmf: false } },
  });
  assert.deepEqual(changed.body.engines.relay, { url, dtmf: false });
});

test('WAV files with PCM and G.711 are read, others are not', () => {
  const pcm = Buffer.from(Int16Array.from([0, 1000, -1000]).buffer);
  const file = Buffer.concat([wavHeader({ rate_hz: 8000, channels: 1, data_bytes: 6 }), pcm]);
  assert.deepEqual([...readWav(file)!.pcm], [0, 1000, -1000]);
  const law = Buffer.concat([
    wavHeader({ rate_hz: 8000, channels: 1, data_bytes: 2 }),
    Buffer.from([0xff, 0x00]),
  ]);
  law.writeUInt16LE(7, 20);
  law.writeUInt16LE(8, 34);
  assert.deepEqual([...readWav(law)!.pcm], [0, -32124]);
  for (const bad of [Buffer.alloc(0), Buffer.from('ID3'), file.subarray(0, 20)])
    assert.equal(readWav(bad), null);
});
