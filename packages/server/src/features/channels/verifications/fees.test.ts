// Fees for verifications when funds are on: charged once, at the first submission.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequirementSet, Verification } from '@parley/contract/channels/numbers/verification-records';
import type { LedgerEntry } from '@parley/contract/rules/spending/funds';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';

const managed = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_FUNDS: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_FEE_US_BRAND_CENTS: '900',
});
const { app, operator } = managed;
const fee_micros = 9_000_000;

const organizationWith = async (amount_micros: number) => {
  const made = await managedOrganization(managed);
  const path = `/v1/admin/organizations/${made.organization.id}/funds/credits`;
  if (amount_micros > 0) await operator.request('POST', path, { amount_micros });
  return made.client;
};
const charges = async (of: Client) =>
  (await of.request<{ items: LedgerEntry[] }>('GET', '/v1/funds/ledger')).body.items.filter(
    ({ kind }) => kind === 'charge',
  );
const brand = {
  kind: 'us_brand',
  subject_name: 'Rejected once Inc',
  address: { street: '1 Main St', city: 'Austin', postal_code: '73301', country_code: 'US' },
  registration_number: '12-3456789',
  answers: { website: 'https://example.com', contact_email: 'a@example.com', company_type: 'private' },
};
const create = (of: Client, body: object) =>
  of.request<Verification & { code: string }>('POST', '/v1/verifications', body);

test('a verification is charged once at its first submission, and corrections are free', async () => {
  const own = await organizationWith(fee_micros);
  const form = await own.request<RequirementSet>('GET', '/v1/verifications/requirements?kind=us_brand');
  assert.equal(form.body.fee_cents, 900);
  const draft = await create(own, { ...brand, submit: false });
  assert.deepEqual([draft.status, draft.body.fee_cents], [201, 900], draft.text);
  assert.deepEqual(await charges(own), [], 'a draft is free');
  const path = `/v1/verifications/${draft.body.id}`;
  assert.equal((await own.request('POST', `${path}/submit`)).status, 200);
  await app.jobs.drain();
  const rejected = (await own.request<Verification>('GET', path)).body;
  assert.equal(rejected.state, 'rejected');
  await own.request('PATCH', path, {
    address: brand.address,
    registration_number: brand.registration_number,
    answers: brand.answers,
  });
  const again = await own.request('POST', `${path}/submit`);
  assert.equal(again.status, 200, again.text);
  await app.jobs.drain();
  assert.equal((await own.request<Verification>('GET', path)).body.state, 'approved');
  const [only, ...others] = await charges(own);
  assert.deepEqual(others, []);
  assert.deepEqual([only!.item, only!.amount_micros], ['registration', -fee_micros]);
  assert.equal(only!.reference, draft.body.id);
});

test('without funds nothing is submitted, and kinds without a fee are free', async () => {
  const own = await organizationWith(fee_micros - 1);
  const refused = await create(own, brand);
  assert.deepEqual([refused.status, refused.body.code], [402, 'insufficient_funds']);
  const draft = await create(own, { ...brand, submit: false });
  const path = `/v1/verifications/${draft.body.id}`;
  const submitted = await own.request<{ code: string }>('POST', `${path}/submit`);
  assert.deepEqual([submitted.status, submitted.body.code], [402, 'insufficient_funds']);
  await app.jobs.drain();
  assert.equal((await own.request<Verification>('GET', path)).body.state, 'draft');
  const free = await create(own, { country_code: 'DE', number_type: 'local', subject_name: 'Example GmbH' });
  assert.equal(free.status, 201, free.text);
  assert.deepEqual(await charges(own), []);
});
