// Purchases over unreliable carrier connections: a number is bought once, settled later, and released completely.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import { buyNumber } from '../../../../../testing/carriers/numbers-and-texts.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../../testing/carriers/service.ts';
import { telnyx_profile } from '../../../../../testing/carriers/telnyx.ts';
import { sql } from '../../../../platform/db/sql.ts';

type Problem = { code: string };
const hour = 3600;

const onTwilio = await startOnTwilio();
const onTelnyx = await startOnTelnyx();
const { twilio } = onTwilio;
const { telnyx } = onTelnyx;

describe('a number bought from a carrier', () => {
  test('is active, and registered at the carrier with our callback URL', async () => {
    const number = await buyNumber(onTwilio.client, { e164: '+14155550101' });
    assert.deepEqual(
      [number.provider, number.provisioning_state, number.inbound_registered],
      ['twilio', 'active', true],
    );
    assert.equal(twilio.numbers[0]!.sms_url, `${onTwilio.url}/v1/carriers/twilio/callbacks`);
    const other = await buyNumber(onTelnyx.client, { e164: '+13125550101' });
    assert.deepEqual([other.provider, other.inbound_registered, other.monthly_cents], ['telnyx', true, 100]);
    assert.equal(telnyx.numbers[0]!.messaging_profile_id, telnyx_profile);
  });

  test('is bought once if the response is lost or broken', async () => {
    for (const fault of ['lost', 'broken_after'] as const) {
      const e164 = fault === 'lost' ? '+14155550102' : '+14155550103';
      twilio.failNext(
        fault,
        ({ method, path }) => method === 'POST' && path.endsWith('/IncomingPhoneNumbers.json'),
      );
      const number = await buyNumber(onTwilio.organization(), { e164 });
      assert.equal(number.provisioning_state, 'active');
      assert.equal(twilio.numbers.filter((each) => each.phone_number === e164).length, 1);
    }
    telnyx.failNext('lost', ({ method, path }) => method === 'POST' && path.endsWith('/number_orders'));
    const number = await buyNumber(onTelnyx.organization(), { e164: '+13125550102' });
    assert.equal(number.provisioning_state, 'active');
    assert.equal(
      telnyx.orders.filter((order) => order.phone_numbers[0]!.phone_number === '+13125550102').length,
      1,
    );
  });

  test('is pending while the carrier is unreachable, and settled later', async () => {
    twilio.on_sale.add('+14155550104');
    const own = onTwilio.organization();
    const buying = ({ path }: { path: string }) => path.endsWith('/IncomingPhoneNumbers.json');
    twilio.failNext('broken', buying);
    twilio.failNext('broken', buying);
    const number = await buyNumber(own, { e164: '+14155550104' });
    assert.equal(number.provisioning_state, 'pending');
    await onTwilio.later(120);
    const settled = await own.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`);
    assert.equal(settled.body.provisioning_state, 'active');
    assert.equal(twilio.numbers.filter((each) => each.phone_number === '+14155550104').length, 1);
  });

  test('that turns out to be sold is not counted by a budget', async () => {
    const own = onTwilio.organization();
    const { organization_id } = own;
    const person = onTwilio.organization({ organization_id, credential_kind: 'session' });
    const subject = { kind: 'organization', id: null };
    const budget = { subject, channel: 'numbers', window: 'month', max_count: 5 };
    assert.equal((await person.request('POST', '/v1/budgets', budget)).status, 201);
    const used = async () =>
      (await own.request<{ items: { used_count: number }[] }>('GET', '/v1/budgets')).body.items[0]!
        .used_count;
    twilio.on_sale.add('+14155550108');
    const stop = twilio.failAll('broken', ({ path }) => path.endsWith('/IncomingPhoneNumbers.json'));
    const number = await buyNumber(own, { e164: '+14155550108' });
    assert.equal(await used(), 1);
    twilio.on_sale.delete('+14155550108');
    stop();
    await onTwilio.later(120);
    const settled = await own.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`);
    assert.equal(settled.body.provisioning_state, 'failed');
    assert.equal(await used(), 0);
  });

  test('is settled when its carrier is set up again after days', async () => {
    twilio.on_sale.add('+14155550107');
    const own = onTwilio.organization();
    const stop = twilio.failAll('broken', ({ path }) => path.endsWith('/IncomingPhoneNumbers.json'));
    const number = await buyNumber(own, { e164: '+14155550107' });
    stop();
    const { db, later } = onTwilio;
    const setProvider = (provider: string) =>
      db.run(sql`update numbers set provider = ${provider} where id = ${number.id}`);
    await setProvider('removed');
    // As after more than a day of attempts.
    await db.run(
      sql`update numbers set updated_at = updated_at - interval '34 hours' where id = ${number.id}`,
    );
    await db.run(sql`update jobs set attempts = 399 where unique_key = ${`settle:${number.id}`}`);
    await later(120);
    await setProvider('twilio');
    await later(hour);
    const settled = await own.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`);
    assert.equal(settled.body.provisioning_state, 'active');
  });

  test('whose registration failed is registered by the sweeper', async () => {
    twilio.on_sale.add('+14155550105');
    const own = onTwilio.organization();
    twilio.failNext(
      'broken',
      ({ method, path }) => method === 'POST' && /IncomingPhoneNumbers\/PN/.test(path),
    );
    const number = await buyNumber(own, { e164: '+14155550105' });
    assert.deepEqual([number.provisioning_state, number.inbound_registered], ['active', false]);
    await onTwilio.later(61);
    const after = await own.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`);
    assert.equal(after.body.inbound_registered, true);
  });

  test('is deleted at the carrier when released, also when a response was lost', async () => {
    telnyx.on_sale.add('+13125550109');
    const own = onTelnyx.organization();
    const number = await buyNumber(own, { e164: '+13125550109' });
    telnyx.failNext('lost', ({ method }) => method === 'DELETE');
    const lost = await own.request<Problem>('DELETE', `/v1/numbers/${number.id}`);
    assert.deepEqual([lost.status, lost.body.code], [503, 'carrier_unavailable']);
    const again = await own.request<PhoneNumber>('DELETE', `/v1/numbers/${number.id}`);
    assert.deepEqual([again.status, again.body.provisioning_state], [200, 'released']);
    assert.ok(telnyx.numbers.every((each) => each.phone_number !== '+13125550109'));
  });

  test('that needs a verification is refused with that code, also when its offer did not say so', async () => {
    const own = onTwilio.organization();
    const early = await own.request<Problem>('POST', '/v1/numbers', { country_code: 'GB' });
    assert.deepEqual([early.status, early.body.code], [422, 'verification_required']);
    // Twilio cannot tell the regulations at the time of the offer.
    twilio.failNext('broken', ({ path }) => path.endsWith('/Regulations'));
    const order = { country_code: 'AU', capabilities: ['voice'] };
    const late = await own.request<Problem>('POST', '/v1/numbers', order);
    assert.deepEqual([late.status, late.body.code], [422, 'verification_required'], late.text);
    assert.ok(twilio.on_sale.has('+61255501234'));
  });

  test('cannot be verified with Twilio before the operator says who Twilio writes to', async () => {
    const answer = await onTwilio.client.request<Problem & { detail: string }>('POST', '/v1/verifications', {
      country_code: 'GB',
      number_type: 'local',
      subject_name: 'Example Ltd',
    });
    assert.deepEqual([answer.status, answer.body.code], [422, 'kind_not_supported']);
    assert.match(answer.body.detail, /PARLEY_COMPLIANCE_EMAIL/);
  });
});
