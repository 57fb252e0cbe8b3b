// The sandbox passes the conformance suite of the registration port, and acts out every reserved word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../platform/clock.ts';
import { type RegistrationSample, registrationConformance } from '../registration-conformance.ts';
import { sandboxMessaging, sandboxRegistration } from './registration.ts';

const clock = systemClock();
const registration = sandboxRegistration(clock);
const sample: RegistrationSample = {
  country_code: 'US',
  number_type: 'local',
  subject_name: 'Example Inc',
  address: { street: '1 Main St', city: 'Austin', region: 'TX', postal_code: '73301', country_code: 'US' },
  registration_number: '12-3456789',
  use_case: null,
  answers: {},
  brand: null,
  number: null,
};

registrationConformance('the sandbox', async () => ({
  registration,
  messaging: sandboxMessaging(clock),
  samples: {
    number: { ...sample, country_code: 'FR' },
    us_brand: sample,
    us_campaign: { ...sample, brand: { id: 'sandbox-approved' } },
    toll_free: { ...sample, number_type: 'toll_free' },
  },
  held: null,
  decide: null,
  loseNext: null,
  number: { e164: '+15005554701', provider_number_id: 'sandbox-1' },
}));

const stateOf = async (word: string, attempt: number, age_hours: number) => {
  const id = `sandbox-${word}-${attempt}-${clock.ms() - age_hours * 3_600_000}-x`;
  const state = await registration.state({ id, keys: ['a', 'b'] }, 'number');
  assert.ok(state.outcome === 'known');
  return [state.state, state.waiting_for, state.problems.map(({ code }) => code).join()];
};

test('the words of the sandbox decide the outcome, and time passes on its clock', async () => {
  assert.deepEqual(await stateOf('rejected_once', 1, 0), ['rejected', null, 'unreadable,mismatch']);
  assert.deepEqual(await stateOf('rejected_once', 2, 0), ['approved', null, '']);
  assert.deepEqual(await stateOf('slow', 1, 0), ['submitted', null, '']);
  assert.deepEqual(await stateOf('slow', 1, 2), ['in_review', null, '']);
  assert.deepEqual(await stateOf('slow', 1, 25), ['approved', null, '']);
  assert.deepEqual(await stateOf('contact', 1, 0), ['in_review', 'contact', '']);
  assert.deepEqual(await stateOf('expires', 1, 24 * 29), ['approved', null, '']);
  assert.deepEqual(await stateOf('expires', 1, 24 * 31), ['rejected', null, 'expired']);
  assert.deepEqual(await stateOf('suspended', 1, 48), ['rejected', null, 'suspended']);
});
