// Numbers over HTTP, with the whole service and the sandbox carrier.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NumberOffer, PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Verification } from '@parley/contract/channels/numbers/verifications';
import { type Client, startTestApp } from '../../../../testing/app.ts';

type Problem = { code: string; detail: string; errors?: { path: string }[] };

const { app, client, organization, later } = await startTestApp();

const now = async () =>
  Date.parse((await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body.now);
const offers = async (
  of: Client,
  body: Record<string, unknown> = { country_code: 'US' },
): Promise<NumberOffer[]> => {
  const answer = await of.request<{ offers: NumberOffer[] }>('POST', '/v1/numbers/quotes', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.offers;
};
const buy = (of: Client, body: Record<string, unknown>, headers = {}) =>
  of.request<PhoneNumber & Problem>('POST', '/v1/numbers', { country_code: 'US', ...body }, headers);

describe('requesting quotes', () => {
  test('returns offers with a price, a readiness, and ten minutes of validity', async () => {
    const found = await offers(organization(), {
      country_code: 'gb',
      number_type: 'mobile',
      capabilities: ['sms'],
    });
    assert.ok(found.length > 0);
    for (const offer of found) {
      assert.match(offer.e164!, /^\+447700900\d{3}$/);
      assert.equal(offer.country_code, 'GB');
      assert.equal(offer.readiness, 'ready');
      assert.equal(offer.monthly_cents, 150);
      assert.ok(offer.capabilities.includes('sms'));
      const left = Date.parse(offer.expires_at) - (await now());
      assert.ok(left > 9 * 60_000 && left <= 10 * 60_000);
    }
  });

  test('names what is not sold: a country, or a type with its capabilities', async () => {
    for (const [body, code] of [
      [{ country_code: 'AQ' }, 'country_not_supported'],
      [{ country_code: 'US', number_type: 'national' }, 'number_type_not_supported'],
      [{ country_code: 'GB', number_type: 'local', capabilities: ['sms'] }, 'number_type_not_supported'],
    ] as const) {
      const answer = await client.request<Problem>('POST', '/v1/numbers/quotes', body);
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, code);
    }
  });

  test('refuses an unknown country, type or capability', async () => {
    const answer = await client.request<Problem>('POST', '/v1/numbers/quotes', {
      country_code: 'USA',
      number_type: 'satellite',
      capabilities: ['fax', 'sms'],
    });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body.errors?.map((error) => error.path).sort(), [
      'body.capabilities[0]',
      'body.country_code',
      'body.number_type',
    ]);
  });
});

describe('buying a number', () => {
  test('has the number and the price of the quote', async () => {
    const own = organization();
    const offer = (await offers(own))[2]!;
    const bought = await buy(own, { quote_id: offer.quote_id });
    assert.equal(bought.status, 201, bought.text);
    const { id, created_at, updated_at, ...rest } = bought.body;
    assert.ok(id && created_at && updated_at);
    assert.deepEqual(rest, {
      organization_id: own.organization_id,
      provider: 'sandbox',
      e164: offer.e164,
      country_code: 'US',
      number_type: 'local',
      capabilities: ['voice', 'sms'],
      provisioning_state: 'active',
      failure_reason: null,
      hold: null,
      is_dedicated: true,
      messaging_service_sid: null,
      voice_agent_id: null,
      sms_agent_id: null,
      sms_registration: { state: 'unknown', verification_id: null, reason: null },
      provisioning_detail: null,
      inbound_registered: true,
      monthly_cents: offer.monthly_cents,
      setup_cents: offer.setup_cents,
      currency: 'USD',
      released_at: null,
    });
    // A job puts the number into its messaging service at some time after the purchase.
    const { messaging_service_sid, sms_registration } = bought.body;
    const asBought = (number: object) => ({ ...number, messaging_service_sid, sms_registration });
    assert.deepEqual(asBought((await own.request('GET', `/v1/numbers/${id}`)).body), bought.body);
    const listed = await own.request<{ items: object[] }>('GET', '/v1/numbers');
    assert.deepEqual(listed.body.items.map(asBought), [bought.body]);
  });

  test('needs no quote: the first matching number is bought', async () => {
    const own = organization();
    const bought = await buy(own, { country_code: 'GB', number_type: 'mobile' });
    assert.equal(bought.status, 201, bought.text);
    assert.equal(bought.body.number_type, 'mobile');
  });

  test('refuses a quote that is unknown, of another organization, expired, or for another kind of number', async () => {
    const own = organization();
    const [offer] = await offers(own);
    const others = await buy(organization(), { quote_id: offer!.quote_id });
    const absent = await buy(own, { quote_id: '019a8c1e-3c4d-7e5f-8061-7b8c9d0e1f20' });
    for (const answer of [others, absent]) {
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'quote_not_usable');
      assert.equal(answer.body.detail, 'There is no such quote.');
    }
    for (const other of [{ country_code: 'CA' }, { number_type: 'toll_free' }, { e164: '+14155552671' }]) {
      const answer = await buy(own, { quote_id: offer!.quote_id, ...other });
      assert.equal(answer.status, 422, JSON.stringify(other));
      assert.equal(answer.body.code, 'quote_not_usable');
    }
    await later(10 * 60);
    const late = await buy(own, { quote_id: offer!.quote_id });
    assert.equal(late.status, 422);
    assert.equal(late.body.detail, 'The quote has expired.');
  });

  test('of many racing buyers exactly one gets the number; the others get 409', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => buy(organization(), { e164: '+15005554777' })),
    );
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, ...Array(11).fill(409)]);
    assert.equal(answers.find((answer) => answer.status === 409)!.body.code, 'number_taken');
    assert.ok((await offers(organization())).every((offer) => offer.e164 !== '+15005554777'));
  });

  test('returns the same number for a repeated Idempotency-Key, also after the quote has expired', async () => {
    const own = organization();
    const [offer] = await offers(own);
    const key = { 'idempotency-key': 'number-1' };
    const first = await buy(own, { quote_id: offer!.quote_id }, key);
    assert.equal(first.status, 201);
    await later(11 * 60);
    const again = await buy(own, { quote_id: offer!.quote_id }, key);
    assert.equal(again.status, 201, again.text);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await buy(own, { country_code: 'CA' }, key);
    assert.equal(other.body.code, 'idempotency_key_reused');
    assert.equal((await own.request<{ items: unknown[] }>('GET', '/v1/numbers')).body.items.length, 1);
  });

  test('happens once for many racing requests with one key', async () => {
    const own = organization();
    const key = { 'idempotency-key': 'number-race' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => buy(own, {}, key)));
    assert.ok(
      answers.every(({ status }) => status === 201 || status === 409),
      answers.map(({ text }) => text).join(),
    );
    const made = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
    assert.equal(made.size, 1);
    assert.equal((await own.request<{ items: unknown[] }>('GET', '/v1/numbers')).body.items.length, 1);
  });

  test('that the carrier refuses is a 502, leaves no active number, and frees the number for the next attempt', async () => {
    const own = organization();
    const key = { 'idempotency-key': 'refused' };
    const refused = await buy(own, { e164: '+15005554901' }, key);
    assert.equal(refused.status, 502);
    assert.equal(refused.body.code, 'number_purchase_failed');
    const stored = (await own.request<{ items: PhoneNumber[] }>('GET', '/v1/numbers')).body.items;
    assert.deepEqual(
      stored.map((number) => [
        number.provisioning_state,
        number.failure_reason !== null,
        number.inbound_registered,
      ]),
      [['failed', true, false]],
    );
    const again = await buy(own, { e164: '+15005554901' }, key);
    assert.equal(again.text, refused.text);
    assert.equal((await buy(organization(), { e164: '+15005554901' })).status, 502);
    assert.equal((await buy(own, { e164: '+15005554902' })).body.code, 'number_taken');
  });

  test('that takes long is pending, and active when the carrier has finished', async () => {
    const own = organization();
    const pending = await buy(own, { e164: '+15005554903' }, { 'idempotency-key': 'slow' });
    assert.equal(pending.status, 201);
    assert.equal(pending.body.provisioning_state, 'pending');
    assert.equal((await buy(organization(), { e164: '+15005554903' })).body.code, 'number_taken');
    await later(2 * 60);
    const settled = await own.request<PhoneNumber>('GET', `/v1/numbers/${pending.body.id}`);
    assert.equal(settled.body.provisioning_state, 'active');
    assert.equal(settled.body.inbound_registered, true);
  });

  test('whose response is lost is found at the carrier', async () => {
    const bought = await buy(organization(), { e164: '+15005554904' });
    assert.equal(bought.status, 201);
    assert.equal(bought.body.provisioning_state, 'active');
  });
});

describe('a country that requires a verification', () => {
  test('sells numbers only after an approved verification, and the error says so', async () => {
    const own = organization();
    const order = { country_code: 'DE', number_type: 'local', capabilities: ['voice'] };
    const [offer] = await offers(own, order);
    assert.equal(offer!.readiness, 'verification_required');
    const early = await buy(own, { country_code: 'DE', quote_id: offer!.quote_id });
    assert.equal(early.status, 422);
    assert.equal(early.body.code, 'verification_required');
    const subject = { country_code: 'DE', number_type: 'local', subject_type: 'business' };
    const ends: Record<string, Verification> = {};
    for (const subject_name of ['Example GmbH', 'Rejected GmbH', 'Waiting GmbH', 'Canceled GmbH']) {
      const made = await own.request<Verification>('POST', '/v1/verifications', { ...subject, subject_name });
      assert.equal(made.status, 201, made.text);
      assert.equal(made.body.state, 'draft');
      await app.jobs.drain();
      ends[subject_name] = (await own.request<Verification>('GET', `/v1/verifications/${made.body.id}`)).body;
    }
    assert.deepEqual(
      Object.values(ends).map(({ state, rejection_reason, approved_at, submitted_at }) => [
        state,
        rejection_reason !== null,
        approved_at !== null,
        submitted_at !== null,
      ]),
      [
        ['approved', false, true, true],
        ['rejected', true, false, true],
        ['in_review', false, false, true],
        ['canceled', false, false, true],
      ],
    );
    const listed = await own.request<{ items: Verification[] }>('GET', '/v1/verifications');
    assert.equal(listed.body.items.length, 4);
    const bought = await buy(own, { country_code: 'DE', quote_id: offer!.quote_id });
    assert.equal(bought.status, 201, bought.text);
    const unverified = await buy(organization(), order);
    assert.equal(unverified.body.code, 'verification_required');
  });
});

describe('changing and releasing a number', () => {
  test('keeps missing fields, and null removes an agent', async () => {
    const own = organization();
    const { body: number } = await buy(own, {});
    const agent = await own.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
    const path = `/v1/numbers/${number.id}`;
    const patch = async (body: unknown) => (await own.request<PhoneNumber>('PATCH', path, body)).body;
    const both = await patch({ voice_agent_id: agent.body.id, sms_agent_id: agent.body.id });
    assert.equal(both.voice_agent_id, agent.body.id);
    const one = await patch({ voice_agent_id: null });
    assert.deepEqual([one.voice_agent_id, one.sms_agent_id], [null, agent.body.id]);
    const none = await patch({});
    assert.equal(none.sms_agent_id, agent.body.id);
    await own.request('DELETE', `/v1/agents/${agent.body.id}`);
    assert.equal((await own.request<PhoneNumber>('GET', path)).body.sms_agent_id, null);
  });

  test('refuses an unknown agent and one of another organization with the same error', async () => {
    const own = organization();
    const { body: number } = await buy(own, {});
    const others = await organization().request<{ id: string }>('POST', '/v1/agents', { name: 'Other' });
    for (const sms_agent_id of [others.body.id, '019a8c1e-3c4d-7e5f-8061-7b8c9d0e1f20']) {
      const answer = await own.request<Problem>('PATCH', `/v1/numbers/${number.id}`, { sms_agent_id });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'agent_not_found');
      assert.deepEqual(
        answer.body.errors?.map((error) => error.path),
        ['body.sms_agent_id'],
      );
    }
  });

  test('releases the number: it can be sold again, and only once', async () => {
    const own = organization();
    const { body: number } = await buy(own, {});
    const released = await own.request<PhoneNumber>('DELETE', `/v1/numbers/${number.id}`);
    assert.equal(released.status, 200);
    assert.equal(released.body.provisioning_state, 'released');
    assert.equal(released.body.inbound_registered, false);
    // (O9)
    const changed = await own.request('PATCH', `/v1/numbers/${number.id}`, { sms_agent_id: null });
    assert.deepEqual([changed.status, changed.body.code], [409, 'number_not_active']);
    const again = await own.request<Problem>('DELETE', `/v1/numbers/${number.id}`);
    assert.equal(again.status, 409);
    assert.equal(again.body.code, 'number_not_active');
    assert.equal((await buy(organization(), { e164: number.e164 })).status, 201);
    const listed = await own.request<{ items: PhoneNumber[] }>(
      'GET',
      '/v1/numbers?provisioning_state=active',
    );
    assert.deepEqual(listed.body.items, []);
  });
});

test('purchases at the same moment that name no number get different ones', async () => {
  const buyers = Array.from({ length: 12 }, () => organization());
  const bought = await Promise.all(buyers.map((own) => buy(own, {})));
  assert.deepEqual(
    bought.map(({ status }) => status),
    buyers.map(() => 201),
  );
  assert.equal(new Set(bought.map(({ body }) => body.e164)).size, buyers.length);
});
