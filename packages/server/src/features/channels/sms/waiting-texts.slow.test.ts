// Texts that wait: scheduled ones, those that the kill switch holds back, and those that need an approval.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Balance } from '@parley/contract/rules/spending/funds';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { WaitingRef } from '../../rules/admission/index.ts';

const service = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on' });
const { app, client, operator, db, later } = service;
const newClient = async () => (await managedOrganization(service)).client;

const stopTexts = async (sms: boolean) =>
  assert.equal((await operator.request('PATCH', '/v1/admin/kill-switch', { sms })).status, 200);
beforeEach(() => stopTexts(false));

const person = '+14155552671';
const now = async () =>
  Date.parse((await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body.now);
const inSeconds = async (seconds: number) => new Date((await now()) + seconds * 1000).toISOString();
const post = (of: Client, body: object = {}) =>
  of.request<Sms & { code: string }>('POST', '/v1/sms', {
    to: person,
    body: 'Hello',
    recipient_consent: true,
    ...body,
  });
async function schedule(of: Client, seconds: number, body: object = {}): Promise<Sms> {
  const response = await post(of, { scheduled_at: await inSeconds(seconds), ...body });
  assert.equal(response.status, 201, response.text);
  return response.body;
}
const read = async (of: Client, id: string) => (await of.request<Sms>('GET', `/v1/sms/${id}`)).body;
const patch = (of: Client, id: string, scheduled_at: unknown) =>
  of.request<Sms & { code: string }>('PATCH', `/v1/sms/${id}`, { scheduled_at });
const cancel = (of: Client, id: string) => of.request<Sms & { code: string }>('POST', `/v1/sms/${id}/cancel`);
/** What the sandbox carrier was given. */
const handed = async (of: Client) =>
  (await of.request<{ items: { resource_id: string }[] }>('GET', '/v1/sandbox/outbox')).body.items.map(
    ({ resource_id }) => resource_id,
  );
const eventTypes = async (id: string) =>
  (await db.rows<{ type: string }>(sql`select type from events where resource_id = ${id} order by id`)).map(
    ({ type }) => type,
  );
const admissionOf = async (id: string) => {
  const row = await db.maybe<{ admission: string }>(sql`select admission from sms_messages where id = ${id}`);
  return JSON.parse(row!.admission) as { outcome: string; checks: { name: string; outcome: string }[] };
};

describe('a scheduled text', () => {
  test('waits in status queued and is sent once at its time', async () => {
    const own = await newClient();
    const sms = await schedule(own, 3600);
    assert.equal(sms.status, 'queued');
    assert.deepEqual(
      [sms.hold?.kind, sms.hold?.until, sms.hold?.approval_id],
      ['schedule', sms.scheduled_at, null],
    );
    assert.deepEqual(await read(own, sms.id), sms);
    assert.equal((await admissionOf(sms.id)).outcome, 'hold');
    // Long before its time, because a loaded machine needs seconds for this.
    await later(3000);
    assert.deepEqual(await handed(own), []);
    await later(605);
    const sent = await read(own, sms.id);
    assert.deepEqual([sent.status, sent.hold, sent.scheduled_at], ['delivered', null, sms.scheduled_at]);
    assert.deepEqual(await handed(own), [sms.id]);
    assert.deepEqual(await eventTypes(sms.id), ['sms.delivered']);
    assert.equal((await admissionOf(sms.id)).outcome, 'allow');
  });

  test('needs a time from 10 seconds to 30 days ahead', async () => {
    const own = await newClient();
    for (const seconds of [-60, 5, 31 * 86_400]) {
      const response = await post(own, { scheduled_at: await inSeconds(seconds) });
      assert.deepEqual([response.status, response.body.code], [422, 'invalid_schedule'], response.text);
    }
    for (const scheduled_at of ['tomorrow', '2030-01-01', '2030-01-01T00:00:00', 1, '']) {
      const response = await post(own, { scheduled_at });
      assert.deepEqual([response.status, response.body.code], [422, 'validation_failed'], response.text);
    }
    assert.deepEqual((await own.request<{ items: Sms[] }>('GET', '/v1/sms')).body.items, []);
  });

  test('can be moved to another time, and then is sent at that time only', async () => {
    const own = await newClient();
    const sms = await schedule(own, 600);
    const at = await inSeconds(1200);
    const moved = await patch(own, sms.id, at.replace('Z', '+00:00'));
    assert.equal(moved.status, 200, moved.text);
    assert.deepEqual([moved.body.scheduled_at, moved.body.hold?.until], [at, at]);
    await later(700);
    assert.equal((await read(own, sms.id)).status, 'queued');
    await later(520);
    assert.equal((await read(own, sms.id)).status, 'delivered');
    assert.deepEqual(await handed(own), [sms.id]);
    for (const response of [await patch(own, sms.id, await inSeconds(600)), await cancel(own, sms.id)])
      assert.deepEqual([response.status, response.body.code], [409, 'already_handed_over']);
  });

  test('refuses a wrong time and keeps the old one', async () => {
    const own = await newClient();
    const sms = await schedule(own, 600);
    assert.equal((await patch(own, sms.id, await inSeconds(1))).body.code, 'invalid_schedule');
    assert.equal((await patch(own, sms.id, null)).body.code, 'validation_failed');
    const other = await newClient();
    assert.equal((await patch(other, sms.id, await inSeconds(900))).status, 404);
    assert.equal((await cancel(other, sms.id)).status, 404);
    assert.deepEqual(await read(own, sms.id), sms);
  });

  test('can be canceled once, which publishes sms.canceled, and is never sent', async () => {
    const own = await newClient();
    const sms = await schedule(own, 600);
    const responses = await Promise.all([cancel(own, sms.id), cancel(own, sms.id), cancel(own, sms.id)]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409]);
    const canceled = await read(own, sms.id);
    assert.deepEqual([canceled.status, canceled.error_code, canceled.hold], ['canceled', 'canceled', null]);
    await later(700);
    assert.deepEqual(await handed(own), []);
    assert.deepEqual(await eventTypes(sms.id), ['sms.canceled']);
  });

  test('keeps its response under its Idempotency-Key', async () => {
    const own = await newClient();
    const body = { to: person, body: 'Hi', recipient_consent: true, scheduled_at: await inSeconds(600) };
    const key = { 'idempotency-key': 'scheduled-once' };
    const first = await own.request<Sms>('POST', '/v1/sms', body, key);
    await cancel(own, first.body.id);
    const again = await own.request<Sms>('POST', '/v1/sms', body, key);
    assert.deepEqual([again.status, again.text], [201, first.text]);
  });

  test('is not sent after a STOP of its recipient', async () => {
    const own = await newClient();
    const sms = await schedule(own, 600);
    await own.request('POST', '/v1/sms/suppressions', { recipient: person });
    await later(700);
    const stopped = await read(own, sms.id);
    assert.deepEqual([stopped.status, stopped.error_code], ['failed', 'recipient_opted_out']);
    assert.deepEqual(await handed(own), []);
  });

  test('is not sent from a number that the organization released meanwhile', async () => {
    const own = await newClient();
    const number = await own.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
      country_code: 'US',
    });
    const sms = await schedule(own, 600, { from: number.body.e164 });
    assert.equal((await own.request('DELETE', `/v1/numbers/${number.body.id}`)).status, 200);
    await later(700);
    const stopped = await read(own, sms.id);
    assert.deepEqual([stopped.status, stopped.error_code], ['failed', 'invalid_sender']);
  });

  test('is charged when it is sent, and not at all when it is canceled', async () => {
    await operator.request('PATCH', '/v1/admin/prices', { sms_segment: 1000 });
    try {
      const { client: own, organization } = await managedOrganization(service);
      const balance = async () => (await own.request<Balance>('GET', '/v1/funds')).body.balance_micros;
      assert.equal((await post(own, { scheduled_at: await inSeconds(600) })).status, 402);
      await operator.request('POST', `/v1/admin/organizations/${organization.id}/funds/credits`, {
        amount_micros: 1500,
      });
      const [first, second, third] = [
        await schedule(own, 600),
        await schedule(own, 601),
        // Not in the same step of the clock as the second one, which would send both at the same time.
        await schedule(own, 640),
      ];
      assert.equal(await balance(), 1500);
      await cancel(own, first.id);
      await later(650);
      assert.equal(await balance(), 500);
      assert.equal((await read(own, second.id)).status, 'delivered');
      const unpaid = await read(own, third.id);
      assert.deepEqual([unpaid.status, unpaid.error_code], ['failed', 'not_allowed']);
      assert.equal((await admissionOf(third.id)).outcome, 'refuse');
    } finally {
      await operator.request('PATCH', '/v1/admin/prices', { sms_segment: 0 });
    }
  });

  test('stores its purpose and credential for the hand-over; a plain text stores nothing', async () => {
    const own = await newClient();
    const termsOf = async (id: string) =>
      (await db.maybe<{ terms: object | null }>(sql`select terms from sms_messages where id = ${id}`))!.terms;
    const plain = (await post(own)).body;
    const marketing = (await post(own, { purpose: 'marketing' })).body;
    const held = await schedule(own, 600, { purpose: 'transactional' });
    assert.equal(await termsOf(plain.id), null);
    assert.partialDeepStrictEqual(await termsOf(marketing.id), { purpose: 'marketing' });
    assert.partialDeepStrictEqual(await termsOf(held.id), {
      purpose: 'transactional',
      principal: { kind: 'api_key' },
      is_counted_at_hand_over: true,
    });
    assert.equal((await post(own, { purpose: 'spam' })).body.code, 'validation_failed');
  });
});

describe('the kill switch', () => {
  test('holds a scheduled text back, says so in the record, and lets it go when it is off', async () => {
    const own = await newClient();
    const sms = await schedule(own, 600);
    await stopTexts(true);
    await later(610);
    const held = await read(own, sms.id);
    assert.deepEqual([held.status, held.hold?.kind], ['queued', 'kill_switch']);
    assert.equal((await admissionOf(sms.id)).outcome, 'defer');
    await later(16 * 60);
    assert.equal((await read(own, sms.id)).status, 'queued', 'a scheduled text may be late');
    await stopTexts(false);
    await later(31);
    assert.equal((await read(own, sms.id)).status, 'delivered');
    assert.deepEqual(await handed(own), [sms.id]);
  });

  test('ends a scheduled text after a day', async () => {
    const own = await newClient();
    const sms = await schedule(own, 600);
    await stopTexts(true);
    await later(610);
    const age = (hours: number) =>
      db.run(sql`
        update sms_messages set released_at = released_at - ${hours} * interval '1 hour' where id = ${sms.id}`);
    await age(23);
    await later(31);
    assert.equal((await read(own, sms.id)).status, 'queued');
    await age(1);
    await later(31);
    const ended = await read(own, sms.id);
    assert.deepEqual([ended.status, ended.error_code], ['failed', 'not_allowed']);
    assert.deepEqual(await handed(own), []);
  });

  test('lets a text that it holds back be canceled', async () => {
    const own = await newClient();
    const sms = await schedule(own, 600);
    await stopTexts(true);
    await later(610);
    assert.equal((await cancel(own, sms.id)).body.status, 'canceled');
    await stopTexts(false);
    await later(60);
    assert.deepEqual(await handed(own), []);
  });
});

describe('a text that waits for an approval', () => {
  async function waiting(of: Client, seconds: number) {
    const sms = await schedule(of, seconds);
    const hold: Hold = {
      kind: 'approval',
      until: await inSeconds(86_400),
      approval_id: randomUUID(),
      message: 'It waits for an approval.',
    };
    await db.run(
      sql`update sms_messages set hold = ${JSON.stringify(hold)}, next_attempt_at = null where id = ${sms.id}`,
    );
    return { ref: { organization_id: of.organization_id, id: sms.id }, id: sms.id, hold, sms };
  }
  const release = (ref: WaitingRef, approval_id: string) =>
    db.transaction((tx) => app.waiting_sms.release(tx, ref, { approval_id }));

  test('is never due, keeps its time, and can be canceled', async () => {
    const own = await newClient();
    const { id, hold } = await waiting(own, 600);
    await later(700);
    assert.deepEqual((await read(own, id)).hold, hold);
    const moved = await patch(own, id, await inSeconds(900));
    assert.deepEqual([moved.status, moved.body.code], [409, 'held']);
    assert.equal((await cancel(own, id)).body.status, 'canceled');
    assert.deepEqual(await handed(own), []);
  });

  test('is released by its own approval, once, and then waits for its time', async () => {
    const own = await newClient();
    const { ref, id, hold, sms } = await waiting(own, 600);
    assert.equal(await release(ref, randomUUID()), false);
    assert.equal(await release({ ...ref, organization_id: randomUUID() }, hold.approval_id!), false);
    assert.deepEqual(
      (await Promise.all([release(ref, hold.approval_id!), release(ref, hold.approval_id!)])).sort(),
      [false, true],
    );
    assert.deepEqual((await read(own, id)).hold, sms.hold);
    await later(610);
    assert.equal((await read(own, id)).status, 'delivered');
    assert.deepEqual(await handed(own), [id]);
  });

  test('is sent at once when its time is over', async () => {
    const own = await newClient();
    const { ref, id, hold } = await waiting(own, 600);
    await later(3600);
    assert.equal(await release(ref, hold.approval_id!), true);
    await later(1);
    assert.equal((await read(own, id)).status, 'delivered');
  });

  test('ends when a person rejects it', async () => {
    const own = await newClient();
    const { ref, id, hold } = await waiting(own, 600);
    const reject = () => db.transaction((tx) => app.waiting_sms.cancel(tx, ref, 'approval_rejected'));
    assert.deepEqual(
      [await reject(), await reject(), await release(ref, hold.approval_id!)],
      [true, false, false],
    );
    const ended = await read(own, id);
    assert.deepEqual([ended.status, ended.error_code, ended.hold], ['canceled', 'approval_rejected', null]);
    assert.deepEqual(await eventTypes(id), ['sms.canceled']);
  });
});
