// What every carrier must do, as tests: a vendor passes them against its stand-in, the sandbox against itself.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Carrier, CarrierEvent } from './carrier.ts';

export type Bench = {
  carrier: Carrier;
  /** A number on sale, and the country and type it is sold under. */
  country_code: string;
  /** The recipients whose texts are delivered, refused, or blocked by an opt-out. */
  good_recipient: string;
  opted_out_recipient: string;
  /** How many texts the carrier really took for this recipient. */
  textsTo(recipient: string): number;
  /** How many numbers the account holds. */
  numbersHeld(): number;
  /** Everything the carrier told us so far, in order. */
  heard(): Promise<CarrierEvent[]>;
  /** Makes the carrier report a delivery; null where it does so by itself. */
  confirmDelivery: ((provider_message_id: string) => Promise<void>) | null;
  /** Breaks the next request; null where there is no wire to break. */
  failNext: ((fault: 'too_many' | 'broken' | 'silent' | 'lost') => void) | null;
};

/** `open` makes a fresh carrier for each test. */
export function carrierConformance(name: string, open: () => Promise<Bench>): void {
  const bought = async (bench: Bench) => {
    const { carrier, country_code } = bench;
    const found = await carrier.numbers.search({
      country_code,
      number_type: 'local',
      capabilities: ['sms'],
      limit: 3,
    });
    assert.equal(found.outcome, 'found');
    const offer = found.outcome === 'found' ? found.offers[0]! : null!;
    const order = { reference: randomUUID(), e164: offer.e164, verification_reference: null };
    const purchase = await carrier.numbers.buy(order);
    assert.equal(purchase.outcome, 'bought');
    return { offer, order, purchase: purchase as { provider_number_id: string } };
  };
  const text = (from: string, to: string) => ({ sms_id: randomUUID(), from, to, body: 'Hello' });

  describe(`the carrier ${name}`, () => {
    test('offers only numbers that can do what was asked', async () => {
      const { carrier, country_code } = await open();
      const query = { country_code, number_type: 'local', capabilities: ['voice', 'sms'], limit: 3 } as const;
      const found = await carrier.numbers.search(query);
      assert.ok(found.outcome === 'found' && found.offers.length > 0);
      for (const offer of found.offers) {
        assert.match(offer.e164, /^\+[1-9]\d{5,14}$/);
        assert.equal(offer.country_code, country_code);
        assert.deepEqual([...offer.capabilities].sort(), ['sms', 'voice']);
        assert.ok(offer.monthly_cents === null || Number.isInteger(offer.monthly_cents));
      }
    });

    test('says when it sells nothing in a country', async () => {
      const { carrier } = await open();
      const query = { country_code: 'AQ', number_type: 'local', capabilities: ['sms'], limit: 3 } as const;
      assert.equal((await carrier.numbers.search(query)).outcome, 'country_not_supported');
    });

    test('finds a purchase again by our reference, registers and releases it', async () => {
      const bench = await open();
      const { order, purchase, offer } = await bought(bench);
      assert.deepEqual(await bench.carrier.numbers.findPurchase(order), {
        outcome: 'bought',
        provider_number_id: purchase.provider_number_id,
      });
      const number = { provider_number_id: purchase.provider_number_id, e164: offer.e164 };
      assert.deepEqual(await bench.carrier.numbers.registerInbound(number), { outcome: 'done' });
      assert.deepEqual(await bench.carrier.numbers.release(number), { outcome: 'done' });
      // Once more: the carrier no longer has it, which is what was wanted.
      assert.deepEqual(await bench.carrier.numbers.release(number), { outcome: 'done' });
      assert.equal(bench.numbersHeld(), 0);
    });

    test('takes a text once and tells what became of it, naming our id', async () => {
      const bench = await open();
      const { offer } = await bought(bench);
      const outgoing = text(offer.e164, bench.good_recipient);
      const sent = await bench.carrier.sms.send(outgoing);
      assert.ok(sent.outcome === 'accepted', sent.outcome);
      await bench.confirmDelivery?.(sent.provider_message_id);
      const events = (await bench.heard()).filter((each) => each.kind === 'text_changed');
      assert.deepEqual(events.at(-1), {
        kind: 'text_changed',
        provider_message_id: sent.provider_message_id,
        sms_id: outgoing.sms_id,
        text: { status: 'delivered' },
      });
      assert.deepEqual(await bench.carrier.sms.outcome(sent.provider_message_id), {
        outcome: 'known',
        text: { status: 'delivered' },
      });
      assert.equal(bench.textsTo(bench.good_recipient), 1);
    });

    test('calls a blocked recipient opted out', async () => {
      const bench = await open();
      const { offer } = await bought(bench);
      const sent = await bench.carrier.sms.send(text(offer.e164, bench.opted_out_recipient));
      assert.equal(sent.outcome, 'not_sent');
      assert.equal((sent as { error_code: string }).error_code, 'recipient_opted_out');
    });

    test('knows of no call that never was', async () => {
      const { carrier } = await open();
      assert.deepEqual(await carrier.callState('CA00000000000000000000000000000000'), { outcome: 'ended' });
    });

    test('says whether it did the work when an exchange breaks', async (context) => {
      const bench = await open();
      if (!bench.failNext) return context.skip('there is no wire between us and this carrier');
      const { offer } = await bought(bench);
      const outgoing = text(offer.e164, bench.good_recipient);
      for (const [fault, outcome, taken] of [
        ['too_many', 'busy', 0],
        ['broken', 'lost', 0],
        ['silent', 'lost', 0],
        ['lost', 'lost', 1],
      ] as const) {
        bench.failNext(fault);
        assert.equal((await bench.carrier.sms.send(outgoing)).outcome, outcome, fault);
        assert.equal(bench.textsTo(bench.good_recipient), taken, fault);
      }
      const found = await bench.carrier.sms.find(outgoing, new Date(Date.now() - 1000));
      assert.ok(['found', 'cannot_tell'].includes(found.outcome), found.outcome);
    });

    test('a purchase whose answer was lost is found, not made twice', async (context) => {
      const bench = await open();
      if (!bench.failNext) return context.skip('there is no wire between us and this carrier');
      const { carrier, country_code } = bench;
      const found = await carrier.numbers.search({
        country_code,
        number_type: 'local',
        capabilities: ['sms'],
        limit: 1,
      });
      assert.ok(found.outcome === 'found');
      const order = { reference: randomUUID(), e164: found.offers[0]!.e164, verification_reference: null };
      assert.equal((await carrier.numbers.findPurchase(order)).outcome, 'absent');
      bench.failNext('lost');
      assert.equal((await carrier.numbers.buy(order)).outcome, 'lost');
      assert.equal((await carrier.numbers.findPurchase(order)).outcome, 'bought');
      assert.equal((await carrier.numbers.buy({ ...order, reference: randomUUID() })).outcome, 'taken');
      assert.equal(bench.numbersHeld(), 1);
    });
  });
}
