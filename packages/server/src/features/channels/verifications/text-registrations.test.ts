// Which registration a number has for texts: toll-free verifications, and campaigns that a person attaches or detaches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Verification } from '@parley/contract/channels/numbers/verification-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';

type Problem = { code: string; fix: string };

const { app, organization, later } = await startTestApp();

async function registered(own: Client, body: object): Promise<Verification> {
  const made = await own.request<Verification>('POST', '/v1/verifications', body);
  assert.equal(made.status, 201, made.text);
  await app.jobs.drain();
  const path = `/v1/verifications/${made.body.id}`;
  return (await own.request<Verification>('GET', path)).body;
}

async function bought(own: Client, e164: string): Promise<PhoneNumber> {
  const number_type = e164.startsWith('+15005558') ? 'toll_free' : 'local';
  const order = { country_code: 'US', number_type, e164 };
  const made = await own.request<PhoneNumber>('POST', '/v1/numbers', order);
  assert.equal(made.status, 201, made.text);
  await app.jobs.drain();
  return made.body;
}

const registration = async (own: Client, { id }: PhoneNumber) =>
  (await own.request<PhoneNumber>('GET', `/v1/numbers/${id}`)).body.sms_registration;

const text = (own: Client, from: string) =>
  own.request<Problem>('POST', '/v1/sms', {
    to: '+15005550001',
    from,
    body: 'Hi',
    recipient_consent: true,
  });

const company = {
  subject_name: 'Example Inc',
  address: { street: '1 Main St', city: 'Austin', postal_code: '73301', country_code: 'US' },
  registration_number: '12-3456789',
};

test('a toll-free number texts to the US after its own verification, not before', async () => {
  const own = organization();
  const number = await bought(own, '+15005558901');
  assert.equal((await registration(own, number)).state, 'missing');
  const refused = await text(own, number.e164);
  assert.deepEqual([refused.status, refused.body.code], [422, 'sender_not_registered']);
  assert.match(refused.body.fix, /verifications/);
  const verification = await registered(own, {
    kind: 'toll_free',
    ...company,
    number_id: number.id,
    answers: {
      website: 'https://example.com',
      contact_email: 'a@example.com',
      use_case_summary: 'Reminders of appointments.',
      message_sample: 'Your appointment is tomorrow at 9.',
      message_volume: '100',
    },
  });
  assert.equal(verification.state, 'approved');
  assert.deepEqual(await registration(own, number), {
    state: 'registered',
    verification_id: verification.id,
    reason: null,
  });
  assert.equal((await text(own, number.e164)).status, 201);
  const other = await bought(own, '+15005558902');
  assert.equal(
    (await registration(own, other)).state,
    'missing',
    'another number needs its own verification',
  );
});

test('a number joins the only campaign by itself, and stays out of it after a person detached it', async () => {
  const own = organization();
  const brand = await registered(own, {
    kind: 'us_brand',
    ...company,
    answers: { website: 'https://example.com', contact_email: 'a@example.com', company_type: 'private' },
  });
  const campaign = await registered(own, {
    kind: 'us_campaign',
    subject_name: 'Reminders',
    brand_verification_id: brand.id,
    answers: {
      description: 'Reminders of appointments that customers have made with us.',
      message_flow: 'Customers agree to texts when they make an appointment on the web page.',
      message_samples: ['Your appointment is tomorrow at 9.', 'Your appointment was moved to 10.'],
    },
  });
  assert.equal(campaign.state, 'approved');
  const number = await bought(own, '+15005554711');
  assert.deepEqual(
    [(await registration(own, number)).state, (await registration(own, number)).verification_id],
    ['registered', campaign.id],
  );
  const change = (campaign_verification_id: string | null) =>
    own.request<PhoneNumber & Problem>('PATCH', `/v1/numbers/${number.id}`, { campaign_verification_id });
  const detached = await change(null);
  assert.deepEqual([detached.status, detached.body.sms_registration.state], [200, 'missing'], detached.text);
  await later(2 * 3600);
  assert.equal((await registration(own, number)).state, 'missing');
  assert.equal((await text(own, number.e164)).body.code, 'sender_not_registered');
  assert.equal((await change(brand.id)).body.code, 'campaign_not_usable');
  const attached = await change(campaign.id);
  assert.equal(attached.body.sms_registration.state, 'registered');
  assert.equal((await text(own, number.e164)).status, 201);
  const foreign = await organization().request('PATCH', `/v1/numbers/${number.id}`, {
    campaign_verification_id: null,
  });
  assert.equal(foreign.status, 404);
});
