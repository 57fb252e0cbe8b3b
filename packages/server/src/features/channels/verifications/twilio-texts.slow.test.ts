// The way to texts in the US with Twilio: brand, number, campaign with a rejection, messaging service, text; and toll-free.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { RequirementSet, Verification } from '@parley/contract/channels/numbers/verification-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Client } from '../../../../testing/app.ts';
import { startOnTwilio } from '../../../../testing/carriers/service.ts';
import { decideAll, text_samples } from '../../../../testing/carriers/twilio-decisions.ts';
import { primary_profile } from '../../../../testing/carriers/twilio-trusthub.ts';
import { verdictOf } from '../../../../testing/followed-fixes.ts';

type Problem = { code: string; detail: string; fix: string };

const { app, twilio, client, organization, operator, later } = await startOnTwilio({
  TWILIO_CUSTOMER_PROFILE_SID: primary_profile,
  PARLEY_COMPLIANCE_EMAIL: 'compliance@example.com',
});
twilio.messaging.registers_numbers = false;

const create = async (of: Client, body: object): Promise<Verification> => {
  const made = await of.request<Verification>('POST', '/v1/verifications', body);
  assert.equal(made.status, 201, made.text);
  await app.jobs.drain();
  return read(of, made.body);
};
const read = async (of: Client, { id }: { id: string }): Promise<Verification> =>
  (await of.request<Verification>('GET', `/v1/verifications/${id}`)).body;
/** A quarter of an hour passes, and Parley asks Twilio again. */
const asked = async (of: Client, verification: { id: string }) => {
  await later(16 * 60);
  await app.jobs.drain();
  return read(of, verification);
};
const brandOf = (of: Client) => create(of, { kind: 'us_brand', ...text_samples.us_brand });
const campaignOf = (of: Client, brand: { id: string }) => {
  const { subject_name, answers } = text_samples.us_campaign;
  return create(of, { kind: 'us_campaign', subject_name, answers, brand_verification_id: brand.id });
};

/** Twilio approves one part after the other. */
async function approved(of: Client, verification: Verification): Promise<Verification> {
  let now = verification;
  for (let parts = 0; parts < 4 && now.state !== 'approved'; parts++) {
    decideAll(twilio, 'approved');
    now = await asked(of, verification);
  }
  assert.equal(now.state, 'approved', now.rejection_reason ?? '');
  return now;
}

async function bought(of: Client, e164: string): Promise<PhoneNumber> {
  const number_type = e164.startsWith('+1833') ? 'toll_free' : 'local';
  const made = await of.request<PhoneNumber>('POST', '/v1/numbers', {
    country_code: 'US',
    number_type,
    e164,
  });
  assert.equal(made.status, 201, made.text);
  await app.jobs.drain();
  return numberOf(of, made.body);
}
const numberOf = async (of: Client, { id }: { id: string }) =>
  (await of.request<PhoneNumber>('GET', `/v1/numbers/${id}`)).body;
const send = (of: Client, from: string) =>
  of.request<Sms & Problem>('POST', '/v1/sms', {
    from,
    to: '+14155550123',
    body: 'Hi',
    recipient_consent: true,
  });

describe('texts to the US over Twilio', () => {
  test('brand → number → campaign rejected, corrected, verified → service joined → text sent', async () => {
    const own = organization();
    const form = await own.request<RequirementSet>('GET', '/v1/verifications/requirements?kind=us_brand');
    assert.ok(form.body.requirements.some(({ key }) => key === 'business_industry'));
    const submitted = await brandOf(own);
    assert.equal(submitted.state, 'submitted');
    const brand = await approved(own, submitted);
    assert.match(brand.provider_verification_id!, /^BN/);

    const number = await bought(own, '+14155550101');
    assert.match(number.messaging_service_sid!, /^MG/);
    assert.equal(number.sms_registration.state, 'missing');
    const refused = await send(own, number.e164);
    assert.deepEqual([refused.status, refused.body.code], [422, 'sender_not_registered']);
    assert.match(refused.body.fix, /\/v1\/verifications/);
    assert.equal(twilio.messages.length, 0, 'nothing was sent');

    const campaign = await campaignOf(own, brand);
    assert.equal(campaign.state, 'in_review');
    Object.assign(twilio.messaging.campaigns[0]!, {
      campaign_status: 'FAILED',
      errors: [
        { error_code: 30886, description: 'Say how people agree.', fields: ['MESSAGE_FLOW'], url: null },
      ],
    });
    const rejected = await asked(own, campaign);
    assert.deepEqual([rejected.state, rejected.waiting_for], ['rejected', 'you']);
    const item = rejected.requirements.find(({ key }) => key === 'message_flow')!;
    assert.deepEqual([item.status, item.problem?.message], ['rejected', 'Say how people agree.']);
    const message_flow = 'Customers tick a box below their phone number on https://example.com/appointments.';
    const path = `/v1/verifications/${campaign.id}`;
    await own.request('PATCH', path, { answers: { message_flow } });
    assert.equal((await own.request('POST', `${path}/submit`)).status, 200);
    await app.jobs.drain();
    assert.equal((await read(own, campaign)).state, 'in_review');
    await approved(own, campaign);

    const joined = await numberOf(own, number);
    const service = twilio.messaging.campaigns[0]!.service;
    assert.deepEqual([joined.messaging_service_sid, joined.sms_registration.state], [service, 'registered']);
    assert.equal((await send(own, number.e164)).status, 201);
    await app.jobs.drain();
    assert.equal(twilio.messages.length, 1);
    assert.deepEqual([twilio.messaging.brands.length, twilio.messaging.campaigns.length], [1, 1]);
    assert.deepEqual(twilio.violations, []);
  });

  test('a text that the networks refused as unregistered stops the next one early', async () => {
    const own = organization();
    twilio.messaging.registers_numbers = true;
    const number = await bought(own, '+14155550102');
    twilio.messaging.registers_numbers = false;
    assert.equal(number.sms_registration.state, 'registered');
    const sent = await send(own, number.e164);
    assert.equal(sent.status, 201, sent.text);
    await app.jobs.drain();
    const message = twilio.messages.find(({ from }) => from === number.e164)!;
    await twilio.report(message, 'undelivered', '30034');
    await app.jobs.drain();
    const failed = await own.request<Sms>('GET', `/v1/sms/${sent.body.id}`);
    assert.equal(failed.body.error_code, 'sender_not_registered');
    const again = await send(own, number.e164);
    assert.deepEqual([again.status, again.body.code], [422, 'sender_not_registered']);
  });

  test('a toll-free number texts after its verification', async () => {
    const own = organization();
    const number = await bought(own, '+18335550101');
    assert.equal(number.sms_registration.state, 'missing');
    assert.equal((await send(own, number.e164)).body.code, 'sender_not_registered');
    const request = { kind: 'toll_free', ...text_samples.toll_free, number_id: number.id };
    const verification = await create(own, request);
    assert.equal(verification.state, 'submitted');
    await approved(own, verification);
    assert.equal((await numberOf(own, number)).sms_registration.state, 'registered');
    const sent = await send(own, number.e164);
    assert.equal(sent.status, 201);
    await app.jobs.drain();

    // The networks withdraw it: explain says what to do, and that works.
    await twilio.report(twilio.messages.at(-1)!, 'undelivered', '30032');
    const { code, who, fix } = await verdictOf(own, sent.body.id);
    assert.deepEqual([code, who], ['sender_not_registered', 'you']);
    assert.match(
      fix,
      /POST \/v1\/verifications.*toll_free for a toll-free one. Send again when it is approved/,
    );
    await approved(own, await create(own, request));
    const again = await send(own, number.e164);
    assert.equal(again.status, 201, again.text);
    await app.jobs.drain();
    await twilio.report(twilio.messages.at(-1)!, 'delivered');
    assert.equal((await verdictOf(own, again.body.id)).code, 'delivered');
    assert.deepEqual(twilio.violations, []);
  });
});

test('a lost answer in the app registers one brand and one campaign', async () => {
  const own = organization();
  const before = [twilio.messaging.brands.length, twilio.messaging.campaigns.length];
  const isPaid = (path: string) => /BrandRegistrations$|Usa2p$/.test(path);
  for (const _ of [1, 2]) twilio.failNext('lost', ({ method, path }) => method === 'POST' && isPaid(path));
  const brand = await approved(own, await brandOf(own));
  await approved(own, await campaignOf(own, brand));
  const after = [twilio.messaging.brands.length, twilio.messaging.campaigns.length];
  assert.deepEqual(after, [before[0]! + 1, before[1]! + 1]);
});

test('a callback between a lost answer and its repetition does not create a second object', async () => {
  const own = organization();
  const before = twilio.hub.products.length;
  const made = await brandOf(own);
  const profile = twilio.hub.profiles.at(-1)!;
  const isProduct = (path: string) => path === '/v1/TrustProducts';
  twilio.failNext('lost', ({ method, path }) => method === 'POST' && isProduct(path));
  decideAll(twilio, 'approved');
  await later(16 * 60);
  await app.jobs.drain();
  assert.equal(await twilio.changeBundle(profile, () => {}), 200);
  await app.jobs.drain();
  await approved(own, made);
  assert.equal(twilio.hub.products.length, before + 1);
});

test('a part that Twilio’s check finds not complete is corrected without a second registration', async () => {
  const own = organization();
  const before = [twilio.hub.profiles.length, twilio.hub.products.length];
  twilio.hub.demanded.add('stock_ticker');
  const made = await brandOf(own);
  decideAll(twilio, 'approved');
  const rejected = await asked(own, made);
  assert.equal(rejected.state, 'rejected');
  assert.equal(rejected.requirements.find(({ key }) => key === 'stock_ticker')!.status, 'rejected');
  const path = `/v1/verifications/${made.id}`;
  await own.request('PATCH', path, { answers: { stock_ticker: 'EXMP' } });
  assert.equal((await own.request('POST', `${path}/submit`)).status, 200);
  await app.jobs.drain();
  await approved(own, made);
  const after = [twilio.hub.profiles.length, twilio.hub.products.length];
  assert.deepEqual(after, [before[0]! + 1, before[1]! + 1]);
  twilio.hub.demanded.clear();
  assert.deepEqual(twilio.violations, []);
});

test('a brand from Twilio’s console is recorded by a superadmin', async () => {
  const [brand] = twilio.messaging.brands;
  const path = `/v1/admin/organizations/${client.organization_id}/verifications`;
  const body = { kind: 'us_brand', provider_verification_id: brand!.sid, subject_name: 'Example Inc' };
  const recorded = await operator.request<Verification>('POST', path, body);
  assert.deepEqual([recorded.status, recorded.body.state], [201, 'approved'], recorded.text);
});
