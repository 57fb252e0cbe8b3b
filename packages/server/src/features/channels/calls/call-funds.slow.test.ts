// Funds of a call: reserved before it is dialed, extended minute by minute, settled at its end.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { SandboxPhoneCall } from '@parley/contract/operations/sandbox/sandbox-phone';
import type { Balance, LedgerEntry } from '@parley/contract/rules/spending/funds';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  read,
  timeline,
  until,
} from '../../../../testing/calls.ts';
import { codedStt } from '../../../../testing/coded-speech.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { pause } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';

const me = '+15005550210';
const minute = 50_000;
let engines_ready = Promise.resolve();
const stt = { ...codedStt(), ready: () => engines_ready };
const managed = await startTestApp(
  { PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on' },
  { speech: () => codedSpeech({ stt }) },
);
const { client, operator, db } = managed;
await operator.request('PATCH', '/v1/admin/prices', { call_minute: minute });

const funded = async (amount_micros: number): Promise<Client> => {
  const { client: own, organization } = await managedOrganization(managed);
  const path = `/v1/admin/organizations/${organization.id}/funds/credits`;
  assert.equal((await client.request('POST', path, { amount_micros })).status, 201);
  return own;
};
const balance = async (of: Client) => {
  const { body } = await of.request<Balance>('GET', '/v1/funds');
  return [body.balance_micros, body.reserved_micros, body.available_micros];
};
const phone = (of: Client, id: string, action: string, body?: unknown) =>
  of.request<SandboxPhoneCall>('POST', `/v1/sandbox/phone/calls/${id}/${action}`, body);

test('of two calls with funds for one, one is dialed and the other ends with insufficient_funds (R6)', async () => {
  // All pool numbers are in use, so that both calls wait in the queue and are claimed together.
  const other = await funded(minute * 3);
  const blockers = [];
  for (let n = 0; n < 3; n++) {
    const { id } = await place(other, people.never_answers, { ring_timeout_seconds: 120 });
    await until(other, id, 'ringing');
    blockers.push(id);
  }
  const own = await funded(minute);
  const calls = [
    await place(own, people.never_answers, { ring_timeout_seconds: 120 }),
    await place(own, people.never_answers, { ring_timeout_seconds: 120 }),
  ];
  assert.deepEqual(await balance(own), [minute, 0, minute]);
  for (const id of blockers) await other.request('POST', `/v1/calls/${id}/cancel`);

  const states = async () => (await Promise.all(calls.map(({ id }) => read(own, id)))).map((call) => call);
  await eventually('one rings and one is refused', async () => {
    const all = await states();
    return all.some(({ status }) => status === 'ringing') && all.some(({ ended_at }) => ended_at !== null);
  });
  const refused = (await states()).find(({ ended_at }) => ended_at !== null)!;
  const rings = (await states()).find(({ id }) => id !== refused.id)!;
  assert.deepEqual([refused.status, refused.end_reason], ['failed', 'insufficient_funds']);
  assert.deepEqual(await balance(own), [minute, minute, 0]);
  const early = await own.request<{ code: string }>('POST', '/v1/calls', {
    to: people.busy,
    recipient_consent: true,
  });
  assert.deepEqual([early.status, early.body.code], [402, 'insufficient_funds']);

  await own.request('POST', `/v1/calls/${rings.id}/cancel`);
  assert.deepEqual(await balance(own), [minute, 0, minute]);
  assert.deepEqual(await balance(other), [minute * 3, 0, minute * 3]);
});

test('a call is extended minute by minute and ends with insufficient_funds when the funds are used up (R6)', async () => {
  const own = await funded(minute * 2 + 20_000);
  const { id } = await place(own, me, { ring_timeout_seconds: 60 });
  await until(own, id, 'ringing');
  await eventually('at the phone', async () => (await phone(own, id, 'answer')).status === 200);
  await until(own, id, 'in_progress');
  assert.deepEqual(await balance(own), [120_000, 50_000, 70_000]);
  // The person keeps talking, so that only the funds can end the call.
  let most_reserved = 0;
  for (let call: Call = await read(own, id); !call.ended_at; call = await read(own, id)) {
    await phone(own, id, 'say', { text: 'And another thing.' });
    most_reserved = Math.max(most_reserved, (await balance(own))[1]!);
    await pause(100, 'the person speaks again and again while the call goes on');
  }
  const call = await ended(own, id);
  assert.deepEqual([call.status, call.end_reason], ['completed', 'insufficient_funds']);
  assert.equal(most_reserved, minute * 2);
  assert.deepEqual(await balance(own), [20_000, 0, 20_000]);
  const ledger = await own.request<{ items: LedgerEntry[] }>('GET', '/v1/funds/ledger');
  assert.deepEqual(
    ledger.body.items.map(({ item, quantity, amount_micros, reference }) => [
      item,
      quantity,
      amount_micros,
      reference,
    ]),
    [
      ['call_minute', 2, -minute * 2, id],
      [null, null, 120_000, null],
    ],
  );
  const last = (await timeline(own, id)).at(-1)!;
  assert.equal(last.detail.end_reason, 'insufficient_funds');
});

test('an inbound call reserves its first minute too, and is declined when another call holds the funds (R6)', async () => {
  const own = await funded(minute);
  const number = await own.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  const agent = await own.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
  await own.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  const callIn = () =>
    own.request<{ is_answered: boolean; call: Call }>('POST', '/v1/sandbox/inbound-calls', {
      from: me,
      to: number.body.e164,
    });
  const answers = await Promise.all([callIn(), callIn(), callIn()]);
  assert.deepEqual(answers.map(({ body }) => body.is_answered).sort(), [false, false, true]);
  const { id } = answers.find(({ body }) => body.is_answered)!.body.call;
  assert.deepEqual(await balance(own), [minute, minute, 0]);
  // A call that is hung up before the agent answers costs nothing.
  await until(own, id, 'in_progress');
  await phone(own, id, 'hang-up');
  await ended(own, id);
  assert.deepEqual(await balance(own), [0, 0, 0]);
});

test('the sweeper releases the reservation of an ended call, once (R6)', async () => {
  const own = await funded(minute * 2);
  const { id } = await place(own, people.never_answers, { ring_timeout_seconds: 120 });
  await until(own, id, 'ringing');
  // A process of an older version ends calls without settling and leaves this.
  await db.run(sql`
    insert into fund_reservations values (${own.organization_id}, 'call_minute', ${randomUUID()}, 1, ${minute}, now())`);
  await db.run(sql`
    update organizations set reserved_micros = reserved_micros + ${minute} where id = ${own.organization_id}`);
  assert.deepEqual(await balance(own), [minute * 2, minute * 2, 0]);
  await managed.later(61);
  await eventually('released', async () => (await balance(own))[1] === minute);
  assert.deepEqual(await balance(own), [minute * 2, minute, minute]);
  await own.request('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual(await balance(own), [minute * 2, 0, minute * 2]);
  // A second run releases nothing and leaves the reservation of a live call.
  const next = await place(own, people.never_answers, { ring_timeout_seconds: 120 });
  await until(own, next.id, 'ringing');
  await managed.later(61);
  assert.deepEqual(await balance(own), [minute * 2, minute, minute]);
  await own.request('POST', `/v1/calls/${next.id}/cancel`);
  assert.deepEqual(await balance(own), [minute * 2, 0, minute * 2]);
});

test('a call that the kill switch sends back to the queue reserves nothing until it is dialed again (R6)', async () => {
  const own = await funded(minute);
  const loaded = Promise.withResolvers<void>();
  engines_ready = loaded.promise;
  const { id } = await place(own, people.busy);
  await eventually('reserved', async () => (await balance(own))[1] === minute);
  await operator.request('PATCH', '/v1/admin/kill-switch', { calls: true });
  loaded.resolve();
  await until(own, id, 'queued');
  assert.deepEqual(await balance(own), [minute, 0, minute]);
  await operator.request('PATCH', '/v1/admin/kill-switch', { calls: false });
  assert.equal((await ended(own, id)).status, 'busy');
  assert.deepEqual(await balance(own), [minute, 0, minute]);
});
