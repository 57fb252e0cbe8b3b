// Registration with Twilio over the API: from the requirements of a country to a number, and what faults must not do.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { RequirementSet, Verification } from '@parley/contract/channels/numbers/verification-records';
import type { Client } from '../../../../testing/app.ts';
import { startOnTwilio } from '../../../../testing/carriers/service.ts';
import { twilio_token, twilioSignature } from '../../../../testing/carriers/twilio.ts';
import { verificationJourney } from '../../../../testing/verification-journey.ts';
import { sql } from '../../../platform/db/sql.ts';

const started = await startOnTwilio({ PARLEY_COMPLIANCE_EMAIL: 'compliance@parley.example' });
const { app, db, client, operator, organization, later, twilio } = started;
const { compliance } = twilio;
const { create, read, settled, submit, patch, upload, assertNothingLeft } = verificationJourney(started);
after(() => assert.deepEqual(twilio.violations, [], 'Twilio’s description allows every request'));

const hour = 3600;
const in_britain = {
  country_code: 'GB',
  number_type: 'local',
  subject_name: 'Example Ltd',
  registration_number: '01234567',
  address: { street: '1 Example Street', city: 'London', postal_code: 'SW1A 1AA', country_code: 'GB' },
  answers: { first_name: 'Ada', last_name: 'Example' },
};
const birth_date = '1980-12-31';
const excerpt = {
  requirement: 'business_registration',
  document_type: 'commercial_registrar_excerpt',
  fields: { document_number: 'R-4711' },
};
const bill = { requirement: 'proof_of_address', document_type: 'utility_bill' };
const statuses = ({ requirements }: Verification) =>
  Object.fromEntries(requirements.map(({ key, status }) => [key, status]));

/** A draft that is complete. */
async function completeDraft(of: Client): Promise<Verification> {
  const draft = await create(of, in_britain);
  await patch(of, draft, { answers: { birth_date } });
  await upload(of, draft, excerpt);
  await upload(of, draft, bill);
  return draft;
}

/** The bundle of a verification at Twilio. */
const bundleOf = ({ id }: { id: string }) =>
  [...compliance.bundles.values()].find(({ friendly_name }) => friendly_name === `parley ${id}`)!;

async function submitted(of: Client): Promise<Verification> {
  const draft = await completeDraft(of);
  assert.equal((await submit(of, draft)).status, 200);
  const handed_over = await settled(of, draft);
  assert.equal(handed_over.state, 'submitted', JSON.stringify(handed_over.requirements));
  return handed_over;
}

// ---- the whole way; each step continues with what the step before made

async function requirementsAndDraft(of: Client): Promise<Verification> {
  const path = '/v1/verifications/requirements?country_code=GB&number_type=local';
  const { body: set } = await of.request<RequirementSet>('GET', path);
  assert.deepEqual(
    set.requirements.map(({ key, input }) => `${key}:${input}`),
    [
      ...['subject_name:text', 'registration_number:text', 'first_name:text', 'last_name:text'],
      ...['birth_date:date', 'address:address'],
      ...['business_registration:document', 'proof_of_address:document'],
    ],
  );
  const early = await of.request<{ code: string }>('POST', '/v1/numbers', { country_code: 'GB' });
  assert.equal(early.body.code, 'verification_required');
  const draft = await create(of, in_britain);
  assert.deepEqual([draft.state, draft.waiting_for], ['draft', 'you']);
  const incomplete = await submit(of, draft);
  assert.deepEqual(
    incomplete.body.errors!.map(({ path: at }) => at),
    ['requirements.birth_date', 'requirements.business_registration', 'requirements.proof_of_address'],
  );
  await patch(of, draft, { answers: { birth_date } });
  await upload(of, draft, excerpt);
  await upload(of, draft, bill);
  return draft;
}

async function rejectedOnce(of: Client, draft: Verification): Promise<void> {
  assert.equal((await submit(of, draft)).status, 200);
  const waiting = await settled(of, draft);
  assert.deepEqual([waiting.state, waiting.waiting_for], ['submitted', 'carrier']);
  const bundle = bundleOf(draft);
  assert.equal(waiting.provider_verification_id, bundle.sid);
  await assertNothingLeft(birth_date, 'R-4711');
  const reason = 'The utility bill is older than three months.';
  const answer = await twilio.changeBundle(bundle, () => compliance.reject(bundle, { utility_bill: reason }));
  assert.equal(answer, 200);
  const rejected = await settled(of, draft);
  assert.deepEqual([rejected.state, rejected.rejection_reason], ['rejected', reason]);
  assert.equal(statuses(rejected).proof_of_address, 'rejected');
  assert.equal(statuses(rejected).business_registration, 'handed_over');
}

async function correctedAndApproved(of: Client, draft: Verification): Promise<void> {
  await upload(of, draft, bill);
  await patch(of, draft, { answers: { birth_date } });
  assert.equal((await submit(of, draft)).status, 200);
  const again = await settled(of, draft);
  assert.deepEqual([again.state, again.attempt], ['submitted', 2]);
  const bundle = bundleOf(draft);
  // Without a callback: polling is enough.
  bundle.status = 'in-review';
  await later(hour);
  assert.equal((await read(of, draft)).state, 'in_review');
  compliance.approve(bundle);
  await later(hour);
  assert.equal((await read(of, draft)).state, 'approved');
}

async function boughtNumber(of: Client, draft: Verification): Promise<PhoneNumber> {
  const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'GB' });
  assert.deepEqual([bought.status, bought.body.provisioning_state], [201, 'active'], bought.text);
  const order = twilio.seen.findLast(({ path }) => path.endsWith('/IncomingPhoneNumbers.json'))!;
  const form = new URLSearchParams(order.body);
  assert.equal(form.get('BundleSid'), bundleOf(draft).sid);
  assert.ok(compliance.addresses.has(form.get('AddressSid')!));
  return bought.body;
}

test('the whole way: requirements, documents, rejection, correction, approval, number', async () => {
  const own = organization();
  const draft = await requirementsAndDraft(own);
  await rejectedOnce(own, draft);
  await correctedAndApproved(own, draft);
  await boughtNumber(own, draft);
  await assertNothingLeft(birth_date, 'R-4711');
});

// ---- faults

test('Twilio’s own check keeps an incomplete submission a draft and names the field', async () => {
  const own = organization();
  const draft = await create(own, { ...in_britain, answers: { ...in_britain.answers, birth_date } });
  await upload(own, draft, { ...excerpt, fields: {} });
  await upload(own, draft, bill);
  await submit(own, draft);
  const checked = await settled(own, draft);
  assert.deepEqual([checked.state, checked.waiting_for], ['draft', 'you']);
  const wrong = checked.requirements.filter(({ status }) => status === 'rejected');
  assert.deepEqual(
    wrong.map(({ key, problem }) => [key, problem!.code]),
    [['business_registration', '22216']],
  );
  assert.match(wrong[0]!.problem!.message, /document_number/);
  assert.equal(bundleOf(draft).status, 'draft');
  await upload(own, draft, excerpt);
  const [first] = (await read(own, draft)).documents;
  assert.equal(
    (await own.request('DELETE', `/v1/verifications/${draft.id}/documents/${first!.id}`)).status,
    204,
  );
  assert.equal((await submit(own, draft)).status, 200);
  assert.equal((await settled(own, draft)).state, 'submitted');
});

const registering = ({ path }: { path: string }) => /\/v2\/|\/Addresses/.test(path);

test('a submission goes on after a day without Twilio, and an approval after another one', async () => {
  const own = organization();
  const draft = await completeDraft(own);
  const away = twilio.failAll('broken', registering);
  // The requirements are asked for at the submission.
  assert.equal((await submit(own, draft)).status, 503);
  away();
  const changing = twilio.failAll('broken', (request) => request.method !== 'GET' && registering(request));
  assert.equal((await submit(own, draft)).status, 200);
  for (let part = 0; part < 4; part++) await later(6 * hour);
  const waiting = await read(own, draft);
  assert.deepEqual([waiting.state, waiting.waiting_for], ['draft', 'carrier']);
  changing();
  await later(hour);
  assert.equal((await read(own, draft)).state, 'submitted');
  compliance.approve(bundleOf(draft));
  const unread = twilio.failAll('broken', ({ path }) => path.includes('/Bundles/'));
  await later(24 * hour);
  assert.equal((await read(own, draft)).state, 'submitted');
  unread();
  await later(hour);
  assert.equal((await read(own, draft)).state, 'approved');
  await assertNothingLeft(birth_date);
});

test('answers that get lost make nothing twice', async () => {
  const own = organization();
  const draft = await completeDraft(own);
  const before = { bundles: compliance.bundles.size, addresses: compliance.addresses.size };
  let changes = 0;
  const every_second = twilio.failAll(
    'lost',
    (request) => request.method !== 'GET' && registering(request) && ++changes % 2 === 1,
  );
  await submit(own, draft);
  await app.jobs.drain();
  for (let tries = 0; (await read(own, draft)).state === 'draft' && tries < 40; tries++) await later(hour);
  every_second();
  assert.equal((await read(own, draft)).state, 'submitted');
  assert.ok(changes > 10, 'most answers were lost once');
  assert.equal(compliance.bundles.size, before.bundles + 1);
  assert.equal(compliance.addresses.size, before.addresses + 1);
  const assigned = [...bundleOf(draft).items.values()];
  assert.equal(new Set(assigned).size, assigned.length);
});

describe('a callback of Twilio', () => {
  const callbackFor = async (
    verification: Verification,
    status: string,
    token: string,
    query = `verification=${verification.id}`,
  ) => {
    const url = `${started.url}/v1/carriers/twilio/callbacks?${query}`;
    const form = { BundleSid: bundleOf(verification).sid, Status: status };
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': twilioSignature(token, url, form),
      },
      body: new URLSearchParams(form).toString(),
    });
    await app.jobs.drain();
    return answer.status;
  };

  test('changes nothing when it is forged, early, late or about nothing', async () => {
    const own = organization();
    const open = await submitted(own);
    assert.equal(await callbackFor(open, 'twilio-approved', 'another-token'), 403);
    assert.equal((await read(own, open)).state, 'submitted');
    // Signed, but Twilio itself says something else.
    assert.equal(await callbackFor(open, 'twilio-approved', twilio_token), 200);
    assert.equal((await read(own, open)).state, 'submitted');
    const other = `verification=${crypto.randomUUID()}`;
    assert.equal(await callbackFor(open, 'twilio-approved', twilio_token, other), 200);
    compliance.approve(bundleOf(open));
    assert.equal(await callbackFor(open, 'twilio-approved', twilio_token), 200);
    assert.equal((await read(own, open)).state, 'approved');
    for (const late of ['pending-review', 'twilio-rejected', 'draft']) {
      assert.equal(await callbackFor(open, late, twilio_token), 200);
      assert.equal((await read(own, open)).state, 'approved');
    }
  });
});

test('an approval that Twilio takes back is revoked with the reason, and can be corrected', async () => {
  const own = organization();
  const open = await submitted(own);
  const bundle = bundleOf(open);
  compliance.approve(bundle, new Date(Date.now() + 400 * 86_400_000));
  await later(hour);
  const approved = await read(own, open);
  assert.deepEqual([approved.state, approved.expires_at], ['approved', bundle.valid_until]);
  compliance.reject(bundle, { commercial_registrar_excerpt: 'The company was dissolved.' });
  await later(25 * hour);
  const revoked = await read(own, open);
  assert.deepEqual([revoked.state, revoked.rejection_reason], ['rejected', 'The company was dissolved.']);
  const refused = await own.request<{ code: string }>('POST', '/v1/numbers', { country_code: 'GB' });
  assert.equal(refused.body.code, 'verification_required');
});

test('a new approval renews the bundle of the numbers that were bought before', async () => {
  const own = organization();
  const first = await submitted(own);
  const old = bundleOf(first);
  compliance.approve(old, new Date(Date.now() + 40 * 86_400_000));
  await later(hour);
  assert.equal((await read(own, first)).state, 'approved');
  const second = await submitted(own);
  const renewed = bundleOf(second);
  const until = new Date(Date.now() + 400 * 86_400_000);
  compliance.approve(renewed, until);
  twilio.failNext('lost', ({ path }) => path.endsWith('/ReplaceItems'));
  await later(hour);
  await later(hour);
  assert.equal((await read(own, second)).state, 'approved');
  assert.deepEqual([...old.items.values()], [...renewed.items.values()]);
  await later(25 * hour);
  assert.equal((await read(own, first)).expires_at, until.toISOString());
});

test('an organization that is deleted meanwhile leaves nothing, and Twilio is not asked any more', async () => {
  const own = organization();
  const draft = await completeDraft(own);
  const away = twilio.failAll('broken', ({ path }) => path.includes('/v2/'));
  await submit(own, draft);
  await app.jobs.drain();
  await db.run(sql`delete from verifications where organization_id = ${own.organization_id}`);
  away();
  const asked = twilio.seen.length;
  await later(26 * hour);
  const about = twilio.seen.slice(asked).filter(({ body }) => body.includes(draft.id));
  assert.deepEqual(about, []);
  await assertNothingLeft(birth_date);
});

test('a canceled draft is deleted at Twilio', async () => {
  const own = organization();
  const draft = await completeDraft(own);
  twilio.failNext('too_many', ({ path }) => path.endsWith('/Evaluations'));
  await submit(own, draft);
  await app.jobs.drain();
  assert.equal(bundleOf(draft).status, 'draft');
  const canceled = await own.request<Verification>('POST', `/v1/verifications/${draft.id}/cancel`);
  assert.deepEqual([canceled.status, canceled.body.state], [200, 'canceled'], canceled.text);
  assert.equal(bundleOf(draft), undefined);
  await assertNothingLeft(birth_date);
});

test('a bundle of Twilio’s console is recorded by a superadmin and used for a purchase', async () => {
  const open = await submitted(organization());
  const bundle = bundleOf(open);
  compliance.approve(bundle);
  const [address] = compliance.addresses.keys();
  const path = `/v1/admin/organizations/${client.organization_id}/verifications`;
  const recorded = await operator.request<Verification>('POST', path, {
    kind: 'number',
    country_code: 'GB',
    number_type: 'local',
    subject_name: 'Example Ltd',
    provider_verification_id: bundle.sid,
    address_reference: address,
  });
  assert.deepEqual([recorded.status, recorded.body.state], [201, 'approved'], recorded.text);
  twilio.on_sale.add('+442079460109');
  const bought = await client.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'GB' });
  assert.deepEqual([bought.status, bought.body.provisioning_state], [201, 'active'], bought.text);
});
