// Registration with Telnyx over the API: from the requirements of a country to a number that texts, and what faults must not do.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type {
  Requirement,
  RequirementSet,
  Verification,
} from '@parley/contract/channels/numbers/verification-records';
import type { Client } from '../../../../testing/app.ts';
import { startOnTelnyx } from '../../../../testing/carriers/service.ts';
import { regulateFrance } from '../../../../testing/carriers/telnyx-requirements.ts';
import { document_marker, verificationJourney } from '../../../../testing/verification-journey.ts';
import { waitFor } from '../../../../testing/wait-for.ts';

const started = await startOnTelnyx({ SANDBOX: 'on' });
const { app, url, organization, later, telnyx } = started;
const journey = verificationJourney(started);
regulateFrance(telnyx);
telnyx.needs_campaigns.on = true;
after(() => assert.deepEqual(telnyx.violations, [], 'Telnyx’s description allows every request'));

const birth_date = '1980-12-31';
const address = { street: '1 Rue X', city: 'Paris', postal_code: '75001', country_code: 'FR' };
const in_us = { street: '1 Main St', city: 'Austin', region: 'TX', postal_code: '73301', country_code: 'US' };
const hour = 3600;

const read = async <T>(of: Client, path: string): Promise<T> => (await of.request<T>('GET', path)).body;
const verification = journey.read;
const number = (of: Client, { id }: { id: string }) => read<PhoneNumber>(of, `/v1/numbers/${id}`);

async function create(of: Client, body: object): Promise<Verification> {
  const made = await journey.create(of, body);
  await app.jobs.drain();
  return made;
}

const upload = (of: Client, ref: { id: string }, requirement: string) =>
  journey.upload(of, ref, { requirement, document_type: 'document' });

async function submit(of: Client, ref: { id: string }): Promise<Verification> {
  const answer = await journey.submit(of, ref);
  assert.equal(answer.status, 200, answer.text);
  return journey.settled(of, ref);
}

const by = (set: RequirementSet, input: Requirement['input']) =>
  set.requirements.find((each) => each.input === input)!.key;

/** Everything but the document. */
async function draft(of: Client): Promise<Verification & { proof: string; birth: string }> {
  const place = 'country_code=FR&number_type=local';
  const set = await read<RequirementSet>(of, `/v1/verifications/requirements?${place}`);
  const birth = by(set, 'date');
  const made = await create(of, {
    country_code: 'FR',
    number_type: 'local',
    subject_name: 'Example SARL',
    address,
    answers: { [by(set, 'text')]: 'Example SARL', [birth]: birth_date, [by(set, 'choice')]: 'company' },
  });
  assert.deepEqual([made.state, made.waiting_for], ['draft', 'you']);
  return { ...made, proof: by(set, 'document'), birth };
}

async function approvedNumber(of: Client): Promise<Verification> {
  const made = await draft(of);
  await upload(of, made, made.proof);
  await submit(of, made);
  telnyx.decide.groups({ status: 'approved' });
  await later(hour);
  const approved = await verification(of, made);
  assert.equal(approved.state, 'approved');
  return approved;
}

const brand = {
  kind: 'us_brand',
  subject_name: 'Example Inc',
  address: in_us,
  registration_number: '12-3456789',
  answers: {
    entity_type: 'PRIVATE_PROFIT',
    vertical: 'RETAIL',
    email: 'a@example.com',
    phone: '+13125550100',
    website: 'https://example.com',
  },
};
const campaign = {
  kind: 'us_campaign',
  subject_name: 'Reminders',
  use_case: 'CUSTOMER_CARE',
  answers: {
    description: 'Reminders of appointments that customers have made with us.',
    message_flow: 'Customers agree to texts when they make an appointment on the web page.',
    message_samples: ['Your appointment is tomorrow at 9.', 'Your appointment was moved to 10.'],
    help_message: 'Call us.',
    opt_in_message: 'You get texts now.',
    opt_out_message: 'No more texts.',
    terms_accepted: true,
  },
};

/** An approved campaign of an approved brand. */
async function registerCampaign(of: Client): Promise<Verification> {
  const made = await create(of, brand);
  telnyx.decide.brands('approved');
  await later(hour);
  assert.equal((await verification(of, made)).state, 'approved');
  const { id } = await create(of, { ...campaign, brand_verification_id: made.id });
  assert.equal((await verification(of, { id })).state, 'submitted');
  telnyx.decide.campaigns({ campaignStatus: 'MNO_PROVISIONED' });
  const { provider_verification_id: campaignId } = await verification(of, { id });
  // A signed webhook makes the service look earlier than its own plan.
  const content = {
    data: { event_type: '10dlc.campaign.update', payload: { campaignId, status: 'ACCEPTED' } },
  };
  assert.equal((await telnyx.callback(`${url}/v1/carriers/telnyx/callbacks`, content)).status, 200);
  await app.jobs.drain();
  const approved = await verification(of, { id });
  assert.equal(approved.state, 'approved');
  return approved;
}

const text = (of: Client, from: string) =>
  of.request<{ code: string }>('POST', '/v1/sms', {
    to: '+14155552671',
    from,
    body: 'Hi',
    recipient_consent: true,
  });

test('the whole way with Telnyx: requirements, documents, rejection, correction, number, campaign, text', async () => {
  const of = organization();
  const made = await draft(of);
  await upload(of, made, made.proof);
  const sent = await submit(of, made);
  assert.equal(sent.state, 'in_review');
  assert.equal(telnyx.documents.at(-1)!.content.toString(), `%PDF-1.4 ${document_marker}`);
  await journey.assertNothingLeft(birth_date);
  telnyx.decide.groups({ status: 'declined', declined: [made.proof], comment: 'The bill is too old.' });
  await later(hour);
  const rejected = await verification(of, made);
  assert.deepEqual([rejected.state, rejected.rejection_reason], ['rejected', 'The bill is too old.']);
  assert.equal(rejected.requirements.find(({ key }) => key === made.proof)!.status, 'rejected');

  await journey.patch(of, made, { answers: { [made.birth]: birth_date } });
  await upload(of, made, made.proof);
  await submit(of, made);
  telnyx.decide.groups({ status: 'approved' });
  await later(hour);
  const approved = await verification(of, made);
  assert.deepEqual([approved.state, approved.attempt], ['approved', 2]);
  assert.equal(telnyx.groups.length, 1);

  const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'FR' });
  assert.deepEqual([bought.status, bought.body.provisioning_state], [201, 'pending'], bought.text);
  assert.match(bought.body.provisioning_detail!, /reviews the order/);
  for (let day = 0; day < 2; day++) await later(24 * hour);
  assert.equal((await number(of, bought.body)).provisioning_state, 'pending');
  telnyx.settleOrders();
  await later(hour);
  const active = await number(of, bought.body);
  assert.deepEqual([active.provisioning_state, active.provisioning_detail], ['active', null]);
  const profile = telnyx.profiles.find(({ name }) => name === `parley ${of.organization_id}`)!;
  assert.equal(active.messaging_service_sid, profile.id);
  assert.equal(active.sms_registration.state, 'not_required');

  await textFromUsNumber(of, profile.id);
  await journey.assertNothingLeft(birth_date);
});

async function textFromUsNumber(of: Client, profile: string): Promise<void> {
  const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'US' });
  assert.deepEqual([bought.status, bought.body.provisioning_state], [201, 'active'], bought.text);
  const { e164 } = bought.body;
  await app.jobs.drain();
  assert.equal((await number(of, bought.body)).sms_registration.state, 'missing');
  assert.equal((await text(of, e164)).body.code, 'sender_not_registered');
  await registerCampaign(of);
  await app.jobs.drain();
  const joined = await number(of, bought.body);
  assert.deepEqual([joined.sms_registration.state, joined.messaging_service_sid], ['registered', profile]);
  assert.equal((await text(of, e164)).status, 201);
  await app.jobs.drain();
  assert.deepEqual(
    telnyx.messages.map((message) => [message.from.phone_number, message.messaging_profile_id]),
    [[e164, profile]],
  );
  assert.equal(telnyx.profiles.filter(({ name }) => name === `parley ${of.organization_id}`).length, 1);
}

describe('an order under review', () => {
  test('survives an outage of Telnyx after two days', async () => {
    const of = organization();
    telnyx.on_sale.add('+33199001235');
    await approvedNumber(of);
    const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'FR' });
    assert.equal(bought.body.provisioning_state, 'pending', bought.text);
    await later(47 * hour);
    const stop = telnyx.failAll('broken', isOrderLookup);
    for (let hours = 0; hours < 4; hours++) await later(hour);
    stop();
    assert.equal((await number(of, bought.body)).provisioning_state, 'pending');
    telnyx.settleOrders();
    await later(hour);
    assert.equal((await number(of, bought.body)).provisioning_state, 'active');
  });

  test('that finds the verification wrong revokes it; after the correction it continues, and the last webhook settles it', async () => {
    const of = organization();
    telnyx.on_sale.add('+33199001236');
    const approved = await approvedNumber(of);
    const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'FR' });
    telnyx.decide.refuseOrders('The address is in another area.');
    await later(2 * hour);
    const revoked = await verification(of, approved);
    assert.deepEqual(
      [revoked.state, revoked.rejection_reason],
      ['rejected', 'The address is in another area.'],
    );
    assert.match((await number(of, bought.body)).provisioning_detail!, /Correct it/);
    const birth = revoked.requirements.find(({ input }) => input === 'date')!.key;
    await journey.patch(of, approved, { answers: { [birth]: birth_date } });
    await submit(of, approved);
    telnyx.decide.groups({ status: 'approved' });
    await later(2 * hour);
    assert.equal((await verification(of, approved)).state, 'approved');
    assert.match((await number(of, bought.body)).provisioning_detail!, /reviews the order/);
    const event_type = 'number_order.complete';
    const content = { data: { event_type, payload: { customer_reference: bought.body.id } } };
    const at = `${url}/v1/carriers/telnyx/callbacks`;
    const review = telnyx.delayNext(isOrderLookup);
    await telnyx.callback(at, content);
    await review.arrived;
    telnyx.settleOrders();
    await telnyx.callback(at, content);
    review.send();
    await app.jobs.drain();
    assert.equal((await number(of, bought.body)).provisioning_state, 'active');
  });
});

const isOrderLookup = ({ method, path }: { method: string; path: string }) =>
  method === 'GET' && path.endsWith('/number_orders');

describe('when the answer of every changing request gets lost once', () => {
  const changing = new Set<string>();
  const is_lost = ({ method, path }: { method: string; path: string }) => {
    const kind = `${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{7,}|%2B\d+/g, '{id}')}`;
    if (method === 'GET' || path.endsWith('/messages') || changing.has(kind)) return false;
    changing.add(kind);
    return true;
  };

  test('nothing is registered or paid twice', async () => {
    const of = organization();
    telnyx.on_sale.add('+33199001237').add('+13125550109');
    const counts = () => [
      telnyx.groups.length,
      telnyx.brands.length,
      telnyx.campaigns.length,
      telnyx.orders.length,
      telnyx.profiles.length,
      telnyx.numbers.length,
    ];
    const before = counts();
    const stop = telnyx.failAll('lost', is_lost);
    const made = await draft(of);
    await upload(of, made, made.proof);
    await submit(of, made);
    await later(hour);
    telnyx.decide.groups({ status: 'approved' });
    await later(hour);
    assert.equal((await verification(of, made)).state, 'approved');
    const french = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'FR' });
    telnyx.settleOrders();
    await later(2 * hour);
    assert.equal((await number(of, french.body)).provisioning_state, 'active');
    const us = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'US' });
    await later(hour);

    const sent_brand = await create(of, brand);
    await later(hour);
    telnyx.decide.brands('approved');
    await later(hour);
    const sent = await create(of, { ...campaign, brand_verification_id: sent_brand.id });
    for (let step = 0; step < 3; step++) await later(hour);
    telnyx.decide.campaigns({ campaignStatus: 'MNO_PROVISIONED' });
    for (let step = 0; step < 4; step++) await later(2 * hour);
    assert.equal((await verification(of, sent)).state, 'approved');
    assert.equal((await number(of, us.body)).sms_registration.state, 'registered');
    stop();
    const after_all = counts();
    assert.deepEqual(
      after_all.map((count, index) => count - before[index]!),
      [1, 1, 1, 2, 1, 2],
    );
    const paid = ['POST /v2/10dlc/brand', 'POST /v2/10dlc/campaignBuilder', 'POST /v2/number_orders'];
    for (const each of paid) assert.ok(changing.has(each), `${each} was lost once`);
  });
});

test('a toll-free number texts after its own verification, and says why it cannot after a rejection', async () => {
  const of = organization();
  const order = { country_code: 'US', number_type: 'toll_free' };
  const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', order);
  assert.equal(bought.status, 201, bought.text);
  await app.jobs.drain();
  const registration = async () => (await number(of, bought.body)).sms_registration;
  assert.equal((await registration()).state, 'missing');
  const made = await create(of, {
    kind: 'toll_free',
    subject_name: 'Example Inc',
    number_id: bought.body.id,
    use_case: 'Appointments',
    address: { ...in_us, region: 'Texas' },
    registration_number: '12-3456789',
    answers: toll_free_answers,
  });
  telnyx.decide.tollFree('Rejected', 'The picture is missing.');
  const content = { anything: 'Telnyx does not publish what this webhook contains' };
  await telnyx.callback(`${url}/v1/carriers/telnyx/callbacks?registration=${made.id}`, content);
  await app.jobs.drain();
  const rejected = await verification(of, made);
  assert.deepEqual([rejected.state, rejected.rejection_reason], ['rejected', 'The picture is missing.']);
  assert.deepEqual(await registration(), {
    state: 'failed',
    verification_id: made.id,
    reason: 'The picture is missing.',
  });
  const image = 'https://example.com/better.png';
  await journey.patch(of, made, { answers: { opt_in_image_urls: [image] } });
  await submit(of, made);
  telnyx.decide.tollFree('Verified');
  await later(hour);
  assert.equal((await verification(of, made)).state, 'approved');
  assert.equal((await registration()).state, 'registered');
  assert.equal((await text(of, bought.body.e164)).status, 201);
  assert.equal(telnyx.toll_free.length, 1);
});

const toll_free_answers = {
  website: 'https://example.com',
  contact_first_name: 'Jane',
  contact_last_name: 'Doe',
  contact_email: 'a@example.com',
  contact_phone: '+13125550100',
  registration_type: 'EIN',
  use_case_summary: 'Reminders of appointments.',
  message_sample: 'Your appointment is tomorrow at 9.',
  message_volume: '1,000',
  opt_in_workflow: 'On the web page.',
  opt_in_image_urls: ['https://example.com/opt-in.png'],
};

test('a webhook that is forged or late changes nothing, and one about the past only makes the service look', async () => {
  const of = organization();
  const made = await create(of, brand);
  const sent = await verification(of, made);
  const at = `${url}/v1/carriers/telnyx/callbacks`;
  const payload = { brandId: sent.provider_verification_id, type: 'REGISTRATION', status: 'success' };
  const content = { data: { event_type: '10dlc.brand.update', payload } };
  const forged = await fetch(at, { method: 'POST', body: JSON.stringify(content) });
  assert.ok(forged.status >= 400);
  assert.ok((await telnyx.callback(at, content, new Date(Date.now() - 3_600_000))).status >= 400);
  await telnyx.callback(at, content);
  await app.jobs.drain();
  assert.equal((await verification(of, made)).state, 'in_review', 'Telnyx still reviews it');
});

test('a webhook during the request that an earlier one caused is followed too, and its newer state stays', async () => {
  const of = organization();
  const made = await create(of, brand);
  const { provider_verification_id: brandId } = await verification(of, made);
  const at = `${url}/v1/carriers/telnyx/callbacks`;
  const changed = { data: { event_type: '10dlc.brand.update', payload: { brandId, status: 'success' } } };
  const earlier = telnyx.delayNext(({ method, path }) => method === 'GET' && path.endsWith(`/${brandId}`));
  await telnyx.callback(at, changed);
  await earlier.arrived;
  telnyx.decide.brands('contact');
  await telnyx.callback(at, changed);
  const waits = async () => (await verification(of, made)).waiting_for === 'contact';
  await waitFor('the newer state is known', waits, { timeout_ms: 10_000 });
  earlier.send();
  await app.jobs.drain();
  assert.equal((await verification(of, made)).waiting_for, 'contact');
});
