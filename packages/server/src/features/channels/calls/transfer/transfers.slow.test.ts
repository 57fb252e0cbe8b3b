// Transfers of the whole service on the sandbox: records, second call, events, transcript, funds, lists and failures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { CallTransfer } from '@parley/contract/channels/calls/call-transfers';
import type { Balance } from '@parley/contract/rules/spending/funds';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { callWorkers } from '../../../../../testing/call-workers.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  read,
  timeline,
  transcript,
  until,
} from '../../../../../testing/calls.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { sql } from '../../../../platform/db/sql.ts';

const { client, operator } = await startTestApp({ PARLEY_FUNDS: 'on' }, { speech: () => codedSpeech() });
await operator.request('PATCH', '/v1/admin/prices', { call_minute: 50_000 });
const credits = `/v1/admin/organizations/${client.organization_id}/funds/credits`;
assert.equal((await operator.request('POST', credits, { amount_micros: 5_000_000 })).status, 201);
const balance = async () => (await client.request<Balance>('GET', '/v1/funds')).body;

/** A call to a person who talks to the agent. */
async function talking(of: Client = client, more: Record<string, unknown> = {}) {
  const { id } = await place(of, people.converses, {
    first_message: 'Good morning. I have some questions.',
    ai_disclosure: false,
    ...more,
  });
  await until(of, id, 'in_progress');
  return id;
}

const transfer = <T = Record<string, unknown>>(of: Client, id: string, body: Record<string, unknown>) =>
  of.request<T>('POST', `/v1/calls/${id}/transfer`, body);
const to = (number: string, more: Record<string, unknown> = {}) => ({
  to: number,
  recipient_consent: true,
  ...more,
});
const settled = (of: Client, id: string, ...statuses: CallTransfer['status'][]) =>
  waitFor(`the transfer is ${statuses.join(' or ')}`, async () => {
    const { transfer: found, end_reason } = await read(of, id);
    if (found && statuses.includes(found.status)) return found;
    assert.ok(!found || found.ended_at === null, `${found?.status} ${found?.failure} ${end_reason}`);
    return null;
  });
const legsOf = async (of: Client, id: string) =>
  (await of.request<{ items: Call[] }>('GET', `/v1/calls?parent_call_id=${id}`)).body.items;
/** The types of the events about a call, oldest first, with the status of its transfer. */
async function eventsOf(id: string) {
  type Event = { type: string; data: { id: string; transfer?: CallTransfer } };
  const { body } = await client.request<{ items: Event[] }>('GET', '/v1/events?limit=200');
  const own = body.items.filter(({ data }) => data.id === id).reverse();
  return own.map(({ type, data }) => `${type} ${data.transfer?.status ?? ''}`.trim());
}
const hangUp = (of: Client, id: string) => of.request('POST', `/v1/calls/${id}/cancel`);

test('a warm transfer connects the person with the colleague, and both calls are recorded and charged', async () => {
  const own = client;
  const before = await balance();
  const id = await talking(own, { record: true });
  const answer = await transfer<{ outcome: string }>(
    own,
    id,
    to(people.takes_transfers, { brief: 'A call from Tom.' }),
  );
  assert.deepEqual([answer.status, answer.body.outcome], [200, 'done'], answer.text);
  const connected = await settled(own, id, 'connected');
  assert.deepEqual(
    [connected.to, connected.mode, connected.via, connected.requested_by, connected.destination],
    [people.takes_transfers, 'warm', 'bridge', 'api', null],
  );
  const again = await transfer<{ code: string }>(own, id, to(people.takes_transfers));
  assert.deepEqual([again.status, again.body.code], [409, 'transfer_in_progress']);
  await eventually('the colleague speaks to the person', async () =>
    (await transcript(own, id)).some((turn) => turn.speaker === 'colleague' && !turn.is_private),
  );
  await hangUp(own, id);
  const call = await ended(own, id);
  assert.deepEqual(
    [call.status, call.end_reason, call.transfer!.status],
    ['completed', 'api_hangup', 'ended'],
  );
  assert.ok(call.recording_url);

  const turns = await transcript(own, id);
  const briefing = turns.find(({ is_private, speaker }) => is_private && speaker === 'agent')!;
  assert.match(briefing.text, /^A call from Tom\./);
  const kinds = (await timeline(own, id))
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('transfer_'));
  assert.deepEqual(
    kinds,
    ['requested', 'dialed', 'answered', 'briefed', 'accepted', 'connected', 'ended'].map(
      (kind) => `transfer_${kind}`,
    ),
  );
  const [leg] = await legsOf(own, id);
  assert.equal(leg!.id, connected.leg_call_id);
  const closed = await waitFor('the second call ends', async () => {
    const found = await read(own, leg!.id);
    return found.ended_at ? found : null;
  });
  assert.deepEqual(
    [closed.status, closed.to, closed.from, closed.parent_call_id],
    ['completed', people.takes_transfers, call.from, id],
  );
  const { body } = await own.request<{ items: Call[] }>('GET', '/v1/calls');
  const listed = body.items.map((each) => each.id);
  assert.deepEqual(
    [listed.includes(id), listed.includes(leg!.id)],
    [true, false],
    'lists show the call only',
  );
  assert.deepEqual(await eventsOf(leg!.id), []);
  assert.deepEqual(
    (await eventsOf(id)).filter((event) => event.startsWith('call.transfer')),
    ['call.transfer_started dialing', 'call.transferred connected'],
  );
  const funds = await balance();
  assert.equal(funds.reserved_micros, 0);
  const minutes =
    Math.ceil(Math.max(1, call.duration_seconds!) / 60) +
    Math.ceil(Math.max(1, closed.duration_seconds!) / 60);
  assert.equal(before.balance_micros - funds.balance_micros, minutes * 50_000, 'both calls are charged');
});

for (const [person, failure, end] of [
  ['busy', 'busy', 'busy'],
  ['declines', 'declined', 'busy'],
  ['never_answers', 'no_answer', 'no_answer'],
  ['unreachable', 'unreachable', 'failed'],
  ['declines_transfers', 'declined', 'completed'],
  ['desk_machine', 'machine', 'completed'],
] as const) {
  test(`a transfer to one who ${person.replaceAll('_', ' ')} fails with ${failure}, and the agent goes on`, async () => {
    const id = await talking();
    await transfer(client, id, to(people[person], { brief: 'A call from Tom.' }));
    const failed = await settled(client, id, 'failed');
    assert.equal(failed.failure, failure);
    await eventually('the agent goes on', async () =>
      (await timeline(client, id)).some(({ kind }) => kind === 'resumed'),
    );
    const [leg] = await legsOf(client, id);
    await eventually('the second call is over', async () => (await read(client, leg!.id)).status === end);
    assert.ok((await eventsOf(id)).includes('call.transfer_failed failed'));
    assert.equal((await read(client, id)).status, 'in_progress');
    await hangUp(client, id);
    await ended(client, id);
  });
}

test('a blind transfer connects at once, and the call ends when the colleague hangs up', async () => {
  const id = await talking();
  await transfer(client, id, to(people.hangs_up, { mode: 'blind' }));
  const call = await ended(client, id);
  assert.deepEqual([call.status, call.end_reason], ['completed', 'colleague_hangup']);
  assert.deepEqual([call.transfer!.status, call.transfer!.mode], ['ended', 'blind']);
});

test('a destination of the agent is named; other names, missing consent and forbidden numbers are refused', async () => {
  const destinations = [{ name: 'desk', phone: people.takes_transfers, recipient_consent: true }];
  const id = await talking(client, { destinations });
  const problem = async (body: Record<string, unknown>) => {
    const answer = await transfer<{ code: string }>(client, id, body);
    return [answer.status, answer.body.code];
  };
  assert.deepEqual(await problem({ destination: 'billing' }), [422, 'destination_unknown']);
  assert.deepEqual(await problem({ to: people.takes_transfers }), [422, 'consent_required']);
  assert.deepEqual(await problem(to('+19005550123')), [422, 'destination_not_allowed']);
  assert.equal((await problem({}))[0], 422);
  assert.equal((await problem({ destination: 'desk', to: people.busy }))[0], 422);
  assert.equal((await transfer(client, id, { destination: 'desk', reason: 'asks for Ana' })).status, 200);
  const dialed = await settled(client, id, 'dialing', 'ringing', 'consulting', 'connected');
  assert.deepEqual([dialed.destination, dialed.reason], ['desk', 'asks for Ana']);
  await hangUp(client, id);
  const call = await ended(client, id);
  assert.ok(['failed', 'ended'].includes(call.transfer!.status));
  assert.equal((await transfer(client, id, { destination: 'desk' })).status, 409);
});

test('the kill switch stops the call to the colleague, not the one that is in progress', async () => {
  const id = await talking();
  const stop = (calls: boolean) => operator.request('PATCH', '/v1/admin/kill-switch', { calls });
  assert.equal((await stop(true)).status, 200);
  await transfer(client, id, to(people.takes_transfers));
  const failed = await settled(client, id, 'failed').finally(() => stop(false));
  assert.equal(failed.failure, 'not_allowed');
  const [leg] = await legsOf(client, id);
  assert.deepEqual([leg!.status, leg!.end_reason, leg!.provider_call_id], ['failed', 'not_allowed', null]);
  await hangUp(client, id);
  await ended(client, id);
});

test('a call that is ended during the ring ends the other one too, and the transfer says why', async () => {
  const id = await talking();
  await transfer(client, id, to(people.never_answers));
  await settled(client, id, 'ringing');
  await hangUp(client, id);
  const call = await ended(client, id);
  assert.deepEqual([call.transfer!.status, call.transfer!.failure], ['failed', 'call_ended']);
  const [leg] = await legsOf(client, id);
  await eventually('the phone stops to ring', async () => (await read(client, leg!.id)).ended_at !== null);
});

test('after kill -9 of the process both calls are closed, and the transfer is settled', async () => {
  // This process runs no calls: the worker does.
  const lease = { PARLEY_CALL_LEASE_SECONDS: '120' };
  const idle = await startTestApp({ ...lease, PARLEY_CALLS_AT_ONCE: '0' });
  const workers = callWorkers(idle, lease);
  const worker = await workers.start();
  const [ringing, connected] = [await talking(idle.client), await talking(idle.client)];
  await transfer(idle.client, ringing, to(people.never_answers));
  await transfer(idle.client, connected, to(people.takes_transfers, { mode: 'blind' }));
  await settled(idle.client, ringing, 'ringing');
  await settled(idle.client, connected, 'connected');

  await workers.kill(worker);
  await idle.db.run(sql`
    update calls set lease_until = now() - interval '1 second' where lease_until is not null`);
  for (const [id, status, failure] of [
    [ringing, 'failed', 'process_lost'],
    [connected, 'ended', null],
  ] as const) {
    const [leg] = await legsOf(idle.client, id);
    const call = await ended(idle.client, id);
    const closed = await ended(idle.client, leg!.id);
    for (const each of [call, closed])
      assert.deepEqual([each.status, each.end_reason], ['failed', 'force_closed']);
    assert.deepEqual([call.transfer!.status, call.transfer!.failure], [status, failure]);
    assert.ok(call.transfer!.ended_at);
  }
});
