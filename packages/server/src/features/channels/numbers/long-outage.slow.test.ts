// A purchase whose carrier cannot be reached for days: the service asks hundreds of times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import { buyNumber } from '../../../../testing/carriers/numbers-and-texts.ts';
import { startOnTwilio } from '../../../../testing/carriers/service.ts';

const hour = 3600;
const onTwilio = await startOnTwilio();
const { twilio } = onTwilio;

test('a number bought from a carrier is settled after an outage of days', async () => {
  twilio.on_sale.add('+14155550106');
  const own = onTwilio.organization();
  const path = '/IncomingPhoneNumbers.json';
  twilio.failNext('lost', (request) => request.method === 'POST' && request.path.endsWith(path));
  const stop = twilio.failAll('broken', (request) => request.path.endsWith(path));
  const number = await buyNumber(own, { e164: '+14155550106' });
  const state = async () =>
    (await own.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`)).body.provisioning_state;
  await onTwilio.later(25 * hour);
  await onTwilio.later(25 * hour);
  assert.equal(await state(), 'pending');
  stop();
  await onTwilio.later(hour);
  assert.equal(await state(), 'active');
  assert.equal(twilio.numbers.filter((each) => each.phone_number === '+14155550106').length, 1);
});
