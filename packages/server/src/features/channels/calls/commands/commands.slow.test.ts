// Live control over HTTP, from the process that runs the call and from another one: outcome, order, keys, audit, crashes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { CallCommand, CallCommanded } from '@parley/contract/channels/calls/call-control';
import { own_phone_number } from '@parley/contract/operations/sandbox/sandbox-phone';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { callWorkers } from '../../../../../testing/call-workers.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  timeline,
  transcript,
  until,
} from '../../../../../testing/calls.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';
import { sql } from '../../../../platform/db/sql.ts';

const service = await startTestApp({}, { speech: () => codedSpeech({ clock: fastClock(5) }) });
const { client, db, organization } = service;

type Problem = { code: string; detail?: string };
const command = <T = CallCommanded>(of: Client, id: string, kind: string, body: unknown, key?: string) =>
  of.request<T>('POST', `/v1/calls/${id}/${kind}`, body, key ? { 'idempotency-key': key } : {});

/** A call with a person who says nothing: the agent is in silence after its first message. */
async function talking(of: Client = client) {
  const { id } = await place(of, people.converses, { first_message: 'Good morning.', ai_disclosure: false });
  await until(of, id, 'in_progress');
  return id;
}
/** A call to the sandbox phone. The other party stays silent, because speech would interrupt the agent's last sentence. */
async function talkingToSilence() {
  const { id } = await place(client, own_phone_number, {
    first_message: 'Good morning.',
    ai_disclosure: false,
    ring_timeout_seconds: 60,
  });
  await until(client, id, 'ringing');
  const answer = () => client.request('POST', `/v1/sandbox/phone/calls/${id}/answer`);
  await eventually('answered', async () => (await answer()).status === 200);
  await until(client, id, 'in_progress');
  return id;
}
const said = async (id: string, text: string, of: Client = client) =>
  eventually(`said: ${text}`, async () => (await transcript(of, id)).some((turn) => turn.text === text));

test('the agent says it, the transcript says who asked for it, and the audit log who did', async () => {
  const id = await talkingToSilence();
  const answer = await command(client, id, 'say', { text: 'Your order is here.' });
  assert.equal(answer.status, 200, answer.text);
  await said(id, 'Your order is here.');
  const turn = (await transcript(client, id)).find(({ text }) => text === 'Your order is here.')!;
  assert.deepEqual([turn.speaker, turn.requested_by, turn.is_private], ['agent', 'api', false]);
  const read = await client.request<CallCommand>('GET', `/v1/calls/${id}/commands/${answer.body.command_id}`);
  assert.deepEqual([read.body.kind, read.body.call_id, read.body.detail], ['say', id, null]);
  assert.ok(['done', 'queued'].includes(read.body.outcome));
  const audit = await client.request<{ items: { action: string; object_id: string }[] }>(
    'GET',
    '/v1/admin/audit-log?action=call.say',
  );
  assert.ok(audit.body.items.some(({ object_id }) => object_id === id));

  const noted = await command(client, id, 'instruct', { text: 'They are in a hurry.' });
  assert.deepEqual([noted.status, noted.body.outcome], [200, 'done']);
  assert.equal((await command(client, id, 'digits', { digits: '1w#' })).body.outcome, 'done');
  const kinds = (await timeline(client, id)).map(({ kind }) => kind);
  assert.ok(kinds.includes('instructed') && kinds.includes('digits_sent'));

  const last = await command(client, id, 'say', { text: 'Goodbye.', when: 'now', then: 'end_call' });
  assert.equal(last.status, 200, last.text);
  assert.equal((await ended(client, id)).end_reason, 'api_hangup');
  const late = await command<Problem>(client, id, 'say', { text: 'Hello?' });
  assert.deepEqual([late.status, late.body.code], [409, 'call_already_ended']);
});

test('a request that is repeated with its key is carried out once', async () => {
  const id = await talking();
  const key = randomUUID();
  const [first, second] = [
    await command(client, id, 'say', { text: 'Only once.' }, key),
    await command(client, id, 'say', { text: 'Only once.' }, key),
  ];
  assert.deepEqual(second.body, first.body);
  await said(id, 'Only once.');
  await command(client, id, 'say', { text: 'Bye.', then: 'end_call' });
  await ended(client, id);
  assert.equal((await transcript(client, id)).filter(({ text }) => text === 'Only once.').length, 1);
});

test('a call that rings, one of others and a body without text are refused', async () => {
  const { id } = await place(client, people.never_answers);
  await until(client, id, 'ringing');
  const early = await command<Problem>(client, id, 'say', { text: 'Hello?' });
  assert.deepEqual([early.status, early.body.code], [409, 'call_not_in_progress']);
  assert.equal((await command(organization(), id, 'say', { text: 'Hello?' })).status, 404);
  assert.equal((await command(client, id, 'say', { text: ' ' })).status, 422);
  assert.equal((await command(client, id, 'digits', { digits: '1x' })).status, 422);
  const reader = organization({ organization_id: client.organization_id, scopes: ['calls:read'] });
  assert.equal((await command(reader, id, 'say', { text: 'Hello?' })).status, 403);
  await client.request('POST', `/v1/calls/${id}/cancel`);
});

test('a command for a call of another process is carried out there; after kill -9 it is not', async () => {
  // This process runs no calls: the worker does.
  const idle = await startTestApp({ PARLEY_CALLS_AT_ONCE: '0', PARLEY_CALL_LEASE_SECONDS: '120' });
  const workers = callWorkers(idle, { PARLEY_CALL_LEASE_SECONDS: '120' });
  const worker = await workers.start();
  const id = await talking(idle.client);
  const answer = await command(idle.client, id, 'say', { text: 'From another process.' });
  assert.equal(answer.status, 200, answer.text);
  await said(id, 'From another process.', idle.client);

  await workers.kill(worker);
  const key = randomUUID();
  const lost = await command<Problem>(idle.client, id, 'say', { text: 'Hello?' }, key);
  assert.deepEqual([lost.status, lost.body.code], [409, 'command_not_possible'], lost.text);
  assert.match(lost.body.detail!, /did not respond/);
  // Nothing was done, so the key is free again.
  const again = await idle.db.maybe(sql`select 1 from idempotency_keys where key = ${key}`);
  assert.equal(again, null);

  // Claimed by the process that was killed: nobody knows whether it was said, and nobody says it again.
  const command_id = randomUUID();
  await idle.db.run(sql`
    insert into call_commands (organization_id, id, call_id, kind, body, created_at, expires_at, claimed_at)
    values (${idle.client.organization_id}, ${command_id}, ${id}, 'say', '{}', now(), now(), now() - interval '2 minutes')`);
  await eventually('settled as unknown', async () => {
    const path = `/v1/calls/${id}/commands/${command_id}`;
    return (await idle.client.request<CallCommand>('GET', path)).body.outcome === 'unknown';
  });
});

test('without notifications of the database a command is found by polling', async () => {
  const id = await talking();
  await db.run(sql`
    insert into call_commands (organization_id, id, call_id, kind, body, created_at, expires_at)
    values (${client.organization_id}, ${randomUUID()}, ${id}, 'say', '{"text":"Found.","when":"next","then":"end_call"}',
            now(), now() + interval '10 seconds')`);
  // The connection is lost, and its replacement looks for what was missed.
  await db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'parley wake' and datname = current_database()`);
  await said(id, 'Found.');
  await ended(client, id);
});
