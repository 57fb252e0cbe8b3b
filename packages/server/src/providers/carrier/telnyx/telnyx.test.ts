// The Telnyx vendor against a stand-in, and both against Telnyx’s own library.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { loadVerifier, skipWithout } from '../../../../../../test/verifiers/load.ts';
import { startCallbackListener } from '../../../../testing/carriers/callback-listener.ts';
import {
  startTelnyx,
  telnyx_connection,
  telnyx_key,
  telnyx_profile,
} from '../../../../testing/carriers/telnyx.ts';
import { timestamp } from '../../../../testing/carriers/telnyx-account.ts';
import { regulateFrance } from '../../../../testing/carriers/telnyx-requirements.ts';
import { testVoice } from '../../../../testing/carriers/voice.ts';
import { type CarrierUnderTest, carrierConformance } from '../conformance.ts';
import { telnyxCarrier } from './index.ts';
import { isSigned, publicKey } from './signature.ts';

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function open() {
  const standIn = await startTelnyx();
  const listener = await startCallbackListener();
  closing.push(standIn.close, listener.close);
  const carrier = telnyxCarrier({
    api_key: telnyx_key,
    public_key: standIn.public_key,
    messaging_profile_id: telnyx_profile,
    connection_id: telnyx_connection,
    base_url: standIn.url,
    callbackUrl: () => listener.url,
    voice: testVoice(),
    now_ms: Date.now,
    timeout_ms: 4000,
  });
  listener.read(carrier);
  return { standIn, listener, carrier };
}

carrierConformance('telnyx', async (): Promise<CarrierUnderTest> => {
  const { standIn, listener, carrier } = await open();
  standIn.opted_out.add('+14155550199');
  return {
    carrier,
    country_code: 'US',
    numbersHeld: () => standIn.numbers.length,
    texts: {
      good_recipient: '+14155550123',
      opted_out_recipient: '+14155550199',
      sentTo: (to) => standIn.messages.filter((message) => message.to[0]!.phone_number === to).length,
      events: async () => listener.events,
      async confirmDelivery(id) {
        const message = standIn.messages.find((each) => each.id === id)!;
        assert.equal(await standIn.report(message, 'sent'), 200);
        assert.equal(await standIn.report(message, 'delivered'), 200);
      },
    },
    failNext: (fault) => standIn.failNext(fault),
  };
});

type Filtered = { list(query: { filter: Record<string, unknown> }): Promise<unknown> };
/** The part of Telnyx’s library that is used here. */
type Telnyx = new (options: {
  apiKey: string;
  publicKey?: string;
  baseURL?: string;
}) => {
  webhooks: { unwrap(body: string, options: { headers: Record<string, string> }): Promise<unknown> };
  messages: { send(message: Record<string, unknown>): Promise<unknown> };
  availablePhoneNumbers: Filtered;
  numberOrders: Filtered;
  phoneNumbers: Filtered;
};
const telnyx = await loadVerifier<{ default: Telnyx }>('telnyx');
const skip = skipWithout('telnyx');

describe('the signature of a Telnyx callback', async () => {
  const { standIn } = await open();
  const body = JSON.stringify({ data: { event_type: 'message.received', payload: { text: 'Grüße 😀' } } });
  const now = Date.now();
  const timestamp = String(Math.floor(now / 1000));
  const headers = (signature: string, at = timestamp) => ({
    'telnyx-signature-ed25519': signature,
    'telnyx-timestamp': at,
  });
  const webhooks = () => new telnyx!.default({ apiKey: telnyx_key, publicKey: standIn.public_key }).webhooks;
  const key = publicKey(standIn.public_key);
  const ours = (signature: string, at: string, text: string) =>
    isSigned(key, { signature, timestamp: at, body: Buffer.from(text) }, now);

  test('from the stand-in is accepted by Telnyx’s library and by us', { skip }, async () => {
    const signature = standIn.sign(timestamp, body);
    assert.deepEqual(await webhooks().unwrap(body, { headers: headers(signature) }), JSON.parse(body));
    assert.ok(ours(signature, timestamp, body));
  });

  test('is refused by both for other bytes, and when it is too old', { skip }, async () => {
    const signature = standIn.sign(timestamp, body);
    await assert.rejects(webhooks().unwrap(`${body} `, { headers: headers(signature) }));
    assert.ok(!ours(signature, timestamp, `${body} `));
    const old = String(Number(timestamp) - 4000);
    await assert.rejects(webhooks().unwrap(body, { headers: headers(standIn.sign(old, body), old) }));
    assert.ok(!ours(standIn.sign(old, body), old, body));
    assert.ok(!ours('', timestamp, body));
    assert.ok(!ours(signature, 'NaN', body));
  });
});

test('Telnyx’s library and our vendor send the same requests', { skip }, async () => {
  const { standIn, carrier, listener } = await open();
  await carrier.numbers.buy({ reference: 'r', e164: '+13125550101', verification: null });
  standIn.seen.length = 0;
  const client = new telnyx!.default({ apiKey: telnyx_key, baseURL: standIn.url });
  await carrier.sms.send({
    sms_id: 'ours',
    from: '+13125550101',
    to: '+14155550123',
    body: 'Grüße 😀',
    messaging_service_reference: null,
  });
  await client.messages.send({
    from: '+13125550101',
    to: '+14155550123',
    text: 'Grüße 😀',
    type: 'SMS',
    messaging_profile_id: telnyx_profile,
    webhook_url: `${listener.url}?sms=ours`,
    use_profile_webhooks: false,
  });
  await carrier.numbers.search({
    country_code: 'US',
    number_type: 'local',
    capabilities: ['voice', 'sms'],
    limit: 3,
  });
  await client.availablePhoneNumbers.list({
    filter: { country_code: 'US', phone_number_type: 'local', features: ['voice', 'sms'], limit: 3 },
  });
  await carrier.numbers.findPurchase({ reference: 'r', e164: '+13125550101', verification: null });
  await client.numberOrders.list({ filter: { customer_reference: 'r' } });
  await client.phoneNumbers.list({ filter: { phone_number: '+13125550101' } });
  // A search also asks whether the numbers need a verification.
  const compared = standIn.seen.filter(({ path }) => !path.endsWith('/regulatory_requirements'));
  const shape = compared.map(({ method, path, query, body }) => ({
    method,
    path,
    query: [...query].sort(),
    body: body === '' ? null : JSON.parse(body),
  }));
  assert.equal(shape.length, 8);
  assert.deepEqual(shape[0], shape[1]);
  assert.deepEqual(shape[2], shape[3]);
  assert.deepEqual(shape[4], shape[6]);
  assert.deepEqual(shape[5], shape[7]);
});

test('a slow order stays pending until Telnyx has the number', async () => {
  const { standIn, carrier } = await open();
  standIn.slow_orders.on = true;
  const order = { reference: 'slow', e164: '+13125550101', verification: null };
  assert.equal((await carrier.numbers.buy(order)).outcome, 'pending');
  assert.equal((await carrier.numbers.findPurchase(order)).outcome, 'pending');
  standIn.settleOrders();
  assert.equal((await carrier.numbers.findPurchase(order)).outcome, 'bought');
});

describe('an order of a regulated number', () => {
  const group = {
    id: '8b3f1c2d-0000-4000-8000-000000000001',
    country_code: 'FR',
    phone_number_type: 'local',
    customer_reference: 'verification',
    status: 'approved',
    updated_at: '2026-01-01T00:00:00.000Z',
    regulatory_requirements: [],
  };
  const order = {
    reference: 'regulated',
    e164: '+33199001234',
    verification: { reference: group.id, address_reference: null },
  };
  const search = { country_code: 'FR', number_type: 'local', capabilities: ['sms'], limit: 3 } as const;
  async function openRegulated() {
    const all = await open();
    regulateFrance(all.standIn);
    all.standIn.groups.push({ ...group });
    return { ...all, numbers: all.carrier.numbers };
  }
  async function reviewOf({ numbers }: Awaited<ReturnType<typeof openRegulated>>) {
    const found = await numbers.findPurchase(order);
    assert.ok(found.outcome === 'pending' && found.review, JSON.stringify(found));
    return found.review;
  }

  test('needs a verification because Telnyx lists requirements, which are asked for once', async () => {
    const { numbers, standIn } = await openRegulated();
    for (const [country_code, readiness] of [
      ['FR', 'verification_required'],
      ['FR', 'verification_required'],
      ['US', 'ready'],
    ] as const) {
      const found = await numbers.search({ ...search, country_code });
      assert.ok(found.outcome === 'found');
      assert.deepEqual([...new Set(found.offers.map((offer) => offer.readiness))], [readiness]);
    }
    const asked = standIn.seen.filter(({ path }) => path.endsWith('/regulatory_requirements'));
    assert.equal(asked.length, 2);
  });

  test('is reviewed until Telnyx decides', async () => {
    const all = await openRegulated();
    const bought = await all.numbers.buy(order);
    assert.ok(bought.outcome === 'pending' && bought.review);
    assert.match((await reviewOf(all)).detail, /reviews the order.*2030-01-31/);
    all.standIn.settleOrders();
    assert.equal((await all.numbers.findPurchase(order)).outcome, 'bought');
    assert.deepEqual(all.standIn.violations, []);
  });

  test('reports the reviewers’ comments, and gets the verification again after its correction', async () => {
    const all = await openRegulated();
    await all.numbers.buy(order);
    all.standIn.decide.refuseOrders('The address is in another area.');
    const review = await reviewOf(all);
    assert.deepEqual(
      review.problems?.map(({ message }) => message),
      ['The address is in another area.'],
    );
    Object.assign(all.standIn.groups[0]!, { updated_at: timestamp() });
    assert.equal((await reviewOf(all)).problems, undefined);
    assert.equal(
      all.standIn.orders[0]!.phone_numbers[0]!.requirements_status,
      'requirement-info-under-review',
    );
    assert.deepEqual(all.standIn.violations, []);
  });

  test('that Telnyx ended is refused', async () => {
    const all = await openRegulated();
    await all.numbers.buy(order);
    all.standIn.orders[0]!.phone_numbers[0]!.requirements_status = 'cancelled';
    assert.equal((await all.numbers.findPurchase(order)).outcome, 'refused');
  });
});

describe('a webhook about a registration', () => {
  const campaignId = '4b300178-131c-4902-954e-72d90ba16200';
  const brandId = 'd88dd2aa-1bb9-4ef0-9ec8-1752b80316a5';
  const reference = '019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f';
  const envelope = (event_type: string, payload: object) => ({ data: { event_type, payload } });

  test('only says what to read again', async () => {
    const { standIn, listener } = await open();
    for (const [query, content, expected] of [
      ['', envelope('10dlc.brand.update', { brandId, type: 'REGISTRATION' }), brandId],
      ['', envelope('10dlc.campaign.update', { brandId, campaignId, status: 'REJECTED' }), campaignId],
      ['', envelope('10dlc.phone_number.update', { campaignId, phoneNumber: '+13125550101' }), campaignId],
      ['', { type: 'TELNYX_EVENT', status: 'DORMANT', brandId, campaignId }, campaignId],
      ['', envelope('number_order.complete', { customer_reference: reference }), reference],
      [`?registration=${reference}`, { anything: true }, reference],
    ] as const) {
      const answer = await standIn.callback(listener.url + query, content);
      assert.equal(answer.status, 200);
      assert.deepEqual(listener.events.at(-1), { kind: 'registration_changed', reference: expected });
    }
  });

  test('is refused without a signature of Telnyx and when it is late', async () => {
    const { standIn, listener } = await open();
    const content = envelope('10dlc.campaign.update', { campaignId, status: 'ACCEPTED' });
    const forged = await fetch(listener.url, { method: 'POST', body: JSON.stringify(content) });
    const late = await standIn.callback(listener.url, content, new Date(Date.now() - 600_000));
    assert.ok(forged.status >= 400 && late.status >= 400);
    assert.deepEqual(listener.events, []);
  });
});

test('a number keeps the profile of its organization when its calls and texts are registered again', async () => {
  const { standIn, carrier } = await open();
  await carrier.numbers.buy({ reference: 'r', e164: '+13125550101', verification: null });
  const number = { provider_number_id: standIn.numbers[0]!.id, e164: '+13125550101' };
  const made = await carrier.messaging!.ensureService('019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f');
  assert.ok(made.outcome === 'done');
  await carrier.messaging!.attach(number, made.service_reference);
  assert.deepEqual(await carrier.numbers.registerInbound(number), { outcome: 'done' });
  assert.equal(standIn.numbers[0]!.messaging_profile_id, made.service_reference);
});
