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
    timeout_ms: 1000,
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
  const shape = standIn.seen.map(({ method, path, query, body }) => ({
    method,
    path,
    query: [...query].sort(),
    body: body === '' ? null : JSON.parse(body),
  }));
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
