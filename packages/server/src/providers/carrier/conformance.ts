// Conformance suite of the carrier port: vendors pass it against a stand-in, the sandbox against itself.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import type { Carrier, CarrierEvent } from './carrier.ts';

/** A carrier under test, with control over the other side. */
export type CarrierUnderTest = {
  carrier: Carrier;
  /** A country where the carrier offers local numbers. */
  country_code: string;
  /** How many numbers the account has. */
  numbersHeld(): number;
  /** Null for a carrier without SMS. */
  texts: TextsUnderTest | null;
  /** Makes the next request fail; null for a carrier without a network. */
  failNext: ((fault: 'too_many' | 'broken' | 'silent' | 'lost') => void) | null;
};

export type TextsUnderTest = {
  /** Texts to this number are delivered. */
  good_recipient: string;
  /** The carrier refuses texts to this number because of an opt-out. */
  opted_out_recipient: string;
  /** How many texts the carrier accepted for this recipient. */
  sentTo(recipient: string): number;
  /** All events that the carrier has reported so far, in order. */
  events(): Promise<CarrierEvent[]>;
  /** Makes the carrier report a delivery; null where it reports by itself. */
  confirmDelivery: ((provider_message_id: string) => Promise<void>) | null;
};

type Open = () => Promise<CarrierUnderTest>;

/** `open` creates a new carrier for each test. */
export function carrierConformance(name: string, open: Open): void {
  describe(`the carrier ${name}`, () => {
    numberTests(open);
    textTests(open);
    test('it says whether the carrier responds', async (context) => {
      const { carrier, failNext } = await open();
      if (!carrier.check) return context.skip('this carrier has no health check');
      assert.deepEqual(await carrier.check(), { outcome: 'done' });
      failNext?.('broken');
      if (failNext) assert.equal((await carrier.check()).outcome, 'lost');
      assert.deepEqual(await carrier.check(), { outcome: 'done' });
    });
    test('a call that never existed counts as ended', async () => {
      const { carrier } = await open();
      assert.deepEqual(await carrier.callState('CA00000000000000000000000000000000'), { outcome: 'ended' });
    });
  });
}

/** The capability that every number of the carrier must have to be used in these tests. */
const mainCapability = ({ texts }: CarrierUnderTest) => (texts ? 'sms' : 'voice');

async function firstOffer(under_test: CarrierUnderTest) {
  const offers = await under_test.carrier.numbers.search({
    country_code: under_test.country_code,
    number_type: 'local',
    capabilities: [mainCapability(under_test)],
    limit: 3,
  });
  assert.ok(offers.outcome === 'found', offers.outcome);
  return offers.offers[0]!;
}

async function buyNumber(under_test: CarrierUnderTest) {
  const offer = await firstOffer(under_test);
  const order = { reference: randomUUID(), e164: offer.e164, verification: null };
  const purchase = await under_test.carrier.numbers.buy(order);
  assert.ok(purchase.outcome === 'bought', purchase.outcome);
  return { offer, order, purchase };
}

function numberTests(open: Open): void {
  test('it offers only numbers with the requested capabilities', async () => {
    const under_test = await open();
    const { carrier, country_code, texts } = under_test;
    const capabilities = texts ? (['voice', 'sms'] as const) : (['voice'] as const);
    const query = { country_code, number_type: 'local', capabilities, limit: 3 } as const;
    const offers = await carrier.numbers.search(query);
    assert.ok(offers.outcome === 'found' && offers.offers.length > 0);
    for (const offer of offers.offers) {
      assert.match(offer.e164, /^\+[1-9]\d{5,14}$/);
      assert.equal(offer.country_code, country_code);
      assert.deepEqual([...offer.capabilities].sort(), [...capabilities].sort());
      assert.ok(offer.monthly_cents === null || Number.isInteger(offer.monthly_cents));
    }
  });

  test('it reports a country without numbers as not supported', async () => {
    const { carrier } = await open();
    const query = { country_code: 'AQ', number_type: 'local', capabilities: ['sms'], limit: 3 } as const;
    assert.equal((await carrier.numbers.search(query)).outcome, 'country_not_supported');
  });

  test('a purchase can be found by our reference, registered and released', async () => {
    const under_test = await open();
    const { numbers } = under_test.carrier;
    const { order, purchase, offer } = await buyNumber(under_test);
    assert.deepEqual(await numbers.findPurchase(order), {
      outcome: 'bought',
      provider_number_id: purchase.provider_number_id,
    });
    const number = { provider_number_id: purchase.provider_number_id, e164: offer.e164 };
    assert.deepEqual(await numbers.registerInbound(number), { outcome: 'done' });
    assert.deepEqual(await numbers.release(number), { outcome: 'done' });
    // Idempotent: releasing a number that the account does not have any more succeeds.
    assert.deepEqual(await numbers.release(number), { outcome: 'done' });
    assert.equal(under_test.numbersHeld(), 0);
  });

  test('a purchase whose response was lost is found and not repeated', async (context) => {
    const under_test = await open();
    const { carrier, failNext, numbersHeld } = under_test;
    if (!failNext) return skipWithoutNetwork(context);
    const { e164 } = await firstOffer(under_test);
    const order = { reference: randomUUID(), e164, verification: null };
    assert.equal((await carrier.numbers.findPurchase(order)).outcome, 'absent');
    failNext('lost');
    assert.equal((await carrier.numbers.buy(order)).outcome, 'lost');
    assert.equal((await carrier.numbers.findPurchase(order)).outcome, 'bought');
    assert.equal((await carrier.numbers.buy({ ...order, reference: randomUUID() })).outcome, 'taken');
    assert.equal(numbersHeld(), 1);
  });
}

const newText = (from: string, to: string) => ({
  sms_id: randomUUID(),
  from,
  to,
  body: 'Hello',
  messaging_service_reference: null,
});
const skipWithoutNetwork = (context: TestContext) => context.skip('this carrier has no network');
const skipWithoutSms = (context: TestContext) => context.skip('this carrier has no SMS');

function textTests(open: Open): void {
  test('it sends a text once and reports its outcome with our id', async (context) => {
    const under_test = await open();
    const { carrier, texts } = under_test;
    if (!texts) return skipWithoutSms(context);
    const { offer } = await buyNumber(under_test);
    const outgoing = newText(offer.e164, texts.good_recipient);
    const sent = await carrier.sms.send(outgoing);
    assert.ok(sent.outcome === 'accepted', sent.outcome);
    await texts.confirmDelivery?.(sent.provider_message_id);
    const events = (await texts.events()).filter((each) => each.kind === 'text_changed');
    assert.deepEqual(events.at(-1), {
      kind: 'text_changed',
      provider_message_id: sent.provider_message_id,
      sms_id: outgoing.sms_id,
      text: { status: 'delivered' },
    });
    assert.deepEqual(await carrier.sms.outcome(sent.provider_message_id), {
      outcome: 'known',
      text: { status: 'delivered' },
    });
    assert.equal(texts.sentTo(texts.good_recipient), 1);
  });

  test('a text to a blocked recipient fails as opted out', async (context) => {
    const under_test = await open();
    const { carrier, texts } = under_test;
    if (!texts) return skipWithoutSms(context);
    const { offer } = await buyNumber(under_test);
    const sent = await carrier.sms.send(newText(offer.e164, texts.opted_out_recipient));
    assert.ok(sent.outcome === 'not_sent', sent.outcome);
    assert.equal(sent.error_code, 'recipient_opted_out');
  });

  test('a failed request says whether the text may have been sent', async (context) => {
    const under_test = await open();
    const { carrier, failNext, texts } = under_test;
    if (!failNext) return skipWithoutNetwork(context);
    if (!texts) return skipWithoutSms(context);
    const { offer } = await buyNumber(under_test);
    const outgoing = newText(offer.e164, texts.good_recipient);
    for (const [fault, outcome, sent] of [
      ['too_many', 'busy', 0],
      ['broken', 'lost', 0],
      ['silent', 'lost', 0],
      ['lost', 'lost', 1],
    ] as const) {
      failNext(fault);
      assert.equal((await carrier.sms.send(outgoing)).outcome, outcome, fault);
      assert.equal(texts.sentTo(texts.good_recipient), sent, fault);
    }
    const carrier_text = await carrier.sms.find(outgoing, new Date(Date.now() - 1000));
    assert.ok(['found', 'cannot_tell'].includes(carrier_text.outcome), carrier_text.outcome);
  });
}
