// Number verifications at Twilio against a strict stand-in: requirements, submission, decision, correction, cancellation.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import {
  startTwilio,
  type TwilioStandIn,
  twilio_account,
  twilio_token,
} from '../../../../../testing/carriers/twilio.ts';
import type { RegistrationDocument, RegistrationRequest } from '../../registration.ts';
import {
  handOver,
  type RegistrationSample,
  registrationConformance,
} from '../../registration-conformance.ts';
import { type TwilioSettings, twilioCarrier } from '../index.ts';

const opened: TwilioStandIn[] = [];
after(async () => {
  for (const standIn of opened) {
    await standIn.close();
    assert.deepEqual(standIn.violations, []);
  }
});

async function open(settings: Partial<TwilioSettings> = {}) {
  const standIn = await startTwilio();
  opened.push(standIn);
  const carrier = twilioCarrier({
    account_sid: twilio_account,
    auth_token: twilio_token,
    base_url: standIn.url,
    callbackUrl: () => 'https://parley.example/v1/carriers/twilio/callbacks',
    voice: null,
    compliance_email: 'compliance@parley.example',
    customer_profile_sid: null,
    timeout_ms: 60_000,
    ...settings,
  });
  return { standIn, ...standIn.compliance, registration: carrier.registration!, numbers: carrier.numbers };
}

const address = {
  street: '1 Example Street',
  city: 'London',
  region: null,
  postal_code: 'SW1A 1AA',
  country_code: 'GB',
};
const answers = { first_name: 'Ada', last_name: 'Example', birth_date: '1980-12-31' };
const sample: RegistrationSample = {
  country_code: 'GB',
  number_type: 'local',
  subject_name: 'Example Ltd',
  address,
  registration_number: '01234567',
  use_case: null,
  answers,
  brand: null,
  number: null,
};

registrationConformance('Twilio, for numbers', async () => {
  const { standIn, registration, bundles, lastBundle, approve, reject } = await open();
  return {
    registration: { ...registration, kinds: ['number'] },
    messaging: null,
    samples: { number: sample },
    held: () => bundles.size,
    decide: (_, decision) =>
      decision === 'approved' ? approve(lastBundle()) : reject(lastBundle(), { utility_bill: 'No.' }),
    loseNext: () => standIn.failNext('lost', ({ method }) => method !== 'GET'),
    number: { e164: '+14155550101', provider_number_id: 'PN1' },
  };
});

const query = {
  kind: 'number',
  country_code: 'GB',
  number_type: 'local',
  subject_type: 'business',
  use_case: null,
  e164: null,
  brand: null,
} as const;

const document = (
  requirement: string,
  document_type: string,
  fields: Record<string, string> = {},
): RegistrationDocument => {
  const content = Buffer.concat([
    Buffer.from('%PDF-1.4\r\n--'),
    Buffer.from([0, 255, 13, 10]),
    Buffer.from(requirement),
  ]);
  return {
    id: randomUUID(),
    requirement,
    document_type,
    content_type: 'application/pdf',
    size_bytes: content.length,
    fields,
    read: async () => content,
  };
};
const excerpt = () =>
  document('business_registration', 'commercial_registrar_excerpt', { document_number: 'R-1' });
const bill = () => document('proof_of_address', 'utility_bill');

const requestFor = (changes: Partial<RegistrationRequest> = {}): RegistrationRequest => ({
  reference: randomUUID(),
  organization_id: randomUUID(),
  attempt: 1,
  ...query,
  subject_name: 'Example Ltd',
  address,
  registration_number: '01234567',
  answers,
  documents: [excerpt(), bill()],
  requirements: [],
  problems: [],
  number: null,
  ...changes,
});

describe('what Twilio wants to know', () => {
  test('comes from its regulations, with our names for what our records already have', async () => {
    const { registration } = await open();
    const found = await registration.requirements(query);
    assert.ok(found.outcome === 'found', found.outcome);
    assert.deepEqual(found.set.subject_types, ['business']);
    assert.deepEqual(
      found.set.requirements.map(({ key, input, required, sensitive }) => [key, input, required, sensitive]),
      [
        ['subject_name', 'text', true, false],
        ['registration_number', 'text', true, false],
        ['first_name', 'text', true, false],
        ['last_name', 'text', true, false],
        ['birth_date', 'date', true, true],
        ['address', 'address', true, false],
        ['business_registration', 'document', true, false],
        ['proof_of_address', 'document', true, false],
      ],
    );
    assert.deepEqual(found.set.requirements.at(-2)!.accepted_documents, [
      {
        type: 'commercial_registrar_excerpt',
        label: 'Excerpt of the commercial register',
        fields: [{ value: 'document_number', label: 'document number' }],
      },
    ]);
  });

  test('is nothing for a country without regulations, and an address where numbers need only that', async () => {
    const { registration } = await open();
    const free = await registration.requirements({ ...query, country_code: 'US' });
    assert.deepEqual(free, { outcome: 'not_needed' });
    const address_only = await registration.requirements({ ...query, country_code: 'FR' });
    assert.ok(address_only.outcome === 'found');
    assert.deepEqual(
      address_only.set.requirements.map(({ key }) => key),
      ['subject_name', 'address'],
    );
  });

  test('cannot be asked for the wrong type of subject, or without an address for Twilio’s mail', async () => {
    const { registration } = await open();
    const individual = await registration.requirements({ ...query, subject_type: 'individual' });
    assert.ok(individual.outcome === 'not_supported');
    const silent = (await open({ compliance_email: null })).registration;
    const found = await silent.requirements(query);
    assert.ok(found.outcome === 'not_supported');
    assert.match(found.detail, /PARLEY_COMPLIANCE_EMAIL/);
    assert.equal((await silent.advance(requestFor(), {}, { may_be_done: false })).outcome, 'busy');
  });
});

test('the documents reach Twilio unchanged, with the answers and the address', async () => {
  const { registration, documents, end_users, addresses, bundles } = await open();
  const request = requestFor();
  const { result } = await handOver(registration, request);
  assert.ok(result.outcome === 'handed_over', JSON.stringify(result));
  const [bundle] = [...bundles.values()];
  assert.equal(result.provider_verification_id, bundle!.sid);
  assert.equal(bundle!.status, 'pending-review');
  assert.equal(bundle!.email, 'compliance@parley.example');
  assert.match(bundle!.status_callback!, new RegExp(`callbacks\\?verification=${request.reference}$`));
  const [held] = [...addresses.values()];
  assert.equal(result.address_reference, held!.sid);
  assert.equal(held!.form.Region, 'London');
  assert.deepEqual([...end_users.values()][0]!.attributes, {
    business_name: 'Example Ltd',
    business_registration_number: '01234567',
    ...answers,
  });
  const [first, second] = [...documents.values()];
  assert.deepEqual(first!.content, await request.documents[0]!.read());
  assert.deepEqual(first!.attributes, { business_name: 'Example Ltd', document_number: 'R-1' });
  assert.deepEqual(second!.attributes, { business_name: 'Example Ltd', address_sids: [held!.sid] });
  // The progress is stored unencrypted: it has ids only.
  assert.doesNotMatch(JSON.stringify(result.progress), /Example|Ada|1980|London|R-1/);
});

test('Twilio’s evaluation names what to correct, and nothing is submitted or created twice', async () => {
  const { registration, bundles, documents, end_users } = await open();
  const request = requestFor({ documents: [bill()], answers: { ...answers, birth_date: '' } });
  const { result } = await handOver(registration, request);
  assert.ok(result.outcome === 'incomplete', result.outcome);
  assert.deepEqual(
    result.problems.map(({ key, code }) => [key, code]),
    [
      ['birth_date', '22215'],
      ['business_registration', '22216'],
    ],
  );
  assert.match(result.problems[1]!.message, /commercial_registrar_excerpt is missing/);
  assert.equal([...bundles.values()][0]!.status, 'draft');
  // The bill is removed and another one uploaded; the name changes, which the documents repeat.
  const corrected = {
    ...request,
    subject_name: 'Example Limited',
    answers,
    documents: [excerpt(), bill()],
  };
  const again = await handOver(registration, corrected, result.progress);
  assert.equal(again.result.outcome, 'handed_over', JSON.stringify(again.result));
  assert.deepEqual([bundles.size, documents.size, end_users.size], [1, 2, 1]);
  for (const { attributes } of documents.values()) assert.equal(attributes.business_name, 'Example Limited');
});

test('an address that Twilio does not know is a problem of the address', async () => {
  const { registration, addresses } = await open();
  const request = requestFor({ address: { ...address, street: 'No such street' } });
  const { result } = await handOver(registration, request);
  assert.ok(result.outcome === 'incomplete');
  assert.deepEqual([result.problems[0]!.key, result.problems[0]!.code], ['address', '21628']);
  assert.equal(addresses.size, 0);
});

test('a rejection names the documents; the correction replaces them and keeps the rest', async () => {
  const { registration, bundles, documents, lastBundle, reject, approve } = await open();
  const request = requestFor();
  const { result } = await handOver(registration, request);
  assert.ok(result.outcome === 'handed_over');
  const { progress } = result;
  const stateNow = async () => {
    const state = await registration.state(progress, 'number');
    assert.ok(state.outcome === 'known', state.outcome);
    return state;
  };
  assert.equal((await stateNow()).state, 'submitted');
  lastBundle().status = 'provisionally-approved';
  assert.equal((await stateNow()).state, 'in_review');
  lastBundle().status = 'draft';
  const unclear = await registration.state(progress, 'number');
  assert.deepEqual(unclear, { outcome: 'unclear', word: 'draft' });
  reject(lastBundle(), { utility_bill: 'The utility bill is older than three months.' });
  const rejected = await stateNow();
  assert.equal(rejected.state, 'rejected');
  assert.deepEqual(rejected.problems, [
    { key: 'proof_of_address', code: '18601', message: 'The utility bill is older than three months.' },
  ]);
  const kept = [...documents.values()].find(({ type }) => type === 'commercial_registrar_excerpt')!.sid;
  const correction = { ...request, attempt: 2, documents: [bill()], problems: rejected.problems };
  const again = await handOver(registration, correction, progress);
  assert.ok(again.result.outcome === 'handed_over', JSON.stringify(again.result));
  assert.deepEqual([bundles.size, documents.size], [1, 2]);
  assert.ok(documents.has(kept));
  approve(lastBundle(), new Date('2027-01-31T00:00:00Z'));
  const approved = await registration.state(again.result.progress, 'number');
  assert.ok(approved.outcome === 'known');
  assert.equal(approved.state, 'approved');
  assert.deepEqual(approved.expires_at, new Date('2027-01-31T00:00:00Z'));
});

test('an address that proves itself is replaced after its rejection', async () => {
  const { registration, documents, lastBundle, reject } = await open();
  const request = requestFor({
    country_code: 'AU',
    subject_type: 'individual',
    documents: [],
    address: { ...address, country_code: 'AU' },
  });
  const { result } = await handOver(registration, request);
  assert.ok(result.outcome === 'handed_over', JSON.stringify(result));
  reject(lastBundle(), { address: 'The address is not in the area.' });
  const rejected = await registration.state(result.progress, 'number');
  assert.ok(rejected.outcome === 'known');
  assert.equal(rejected.problems[0]!.key, 'address');
  const before = [...documents.keys()];
  const correction = { ...request, attempt: 2, problems: rejected.problems };
  const again = await handOver(registration, correction, result.progress);
  assert.ok(again.result.outcome === 'handed_over', JSON.stringify(again.result));
  assert.equal(documents.size, 1);
  assert.ok(!documents.has(before[0]!));
});

test('an approval that has expired is submitted again in place, because its numbers belong to the bundle', async () => {
  const { registration, bundles, lastBundle, approve } = await open();
  const request = requestFor();
  const { result } = await handOver(registration, request);
  assert.ok(result.outcome === 'handed_over');
  approve(lastBundle(), new Date(Date.now() - 1000));
  lastBundle().status = 'twilio-rejected';
  const expired = await registration.state(result.progress, 'number');
  assert.ok(expired.outcome === 'known' && expired.state === 'rejected');
  assert.equal(expired.problems[0]!.key, null);
  const renewal = requestFor({ ...request, attempt: 2, documents: [excerpt(), bill()] });
  const again = await handOver(registration, renewal, result.progress);
  assert.ok(again.result.outcome === 'handed_over', JSON.stringify(again.result));
  assert.equal(again.result.provider_verification_id, result.provider_verification_id);
  assert.equal(bundles.size, 1);
});

test('a canceled verification leaves nothing at Twilio, and an approved one cannot be canceled', async () => {
  const { registration, bundles, documents, end_users, addresses, lastBundle, approve, reject } =
    await open();
  const { result } = await handOver(registration, requestFor());
  assert.ok(result.outcome === 'handed_over');
  assert.equal((await registration.cancel(result.progress, 'number')).outcome, 'refused');
  reject(lastBundle(), {});
  assert.deepEqual(await registration.cancel(result.progress, 'number'), { outcome: 'done' });
  assert.deepEqual([bundles.size, documents.size, end_users.size, addresses.size], [0, 0, 0, 0]);
  const second = await handOver(registration, requestFor());
  assert.ok(second.result.outcome === 'handed_over');
  approve(lastBundle());
  assert.equal((await registration.cancel(second.result.progress, 'number')).outcome, 'refused');
  assert.equal(bundles.size, 1);
});

test('a bundle of the console is adopted, and one that does not exist is absent', async () => {
  const { registration, lastBundle, approve } = await open();
  await handOver(registration, requestFor());
  approve(lastBundle());
  const id = lastBundle().sid;
  const adopted = await registration.adopt({ kind: 'number', provider_verification_id: id });
  assert.ok(adopted.outcome === 'found');
  const state = await registration.state(adopted.progress, 'number');
  assert.ok(state.outcome === 'known' && state.state === 'approved');
  const unknown = { kind: 'number', provider_verification_id: `BU${'0'.repeat(32)}` } as const;
  assert.deepEqual(await registration.adopt(unknown), { outcome: 'absent' });
  // Verifications of an earlier release have only the id.
  const old = await registration.state({ id }, 'number');
  assert.ok(old.outcome === 'known' && old.state === 'approved');
});

describe('purchases', () => {
  test('offers of regulated countries need a verification, and national numbers are sold', async () => {
    const { numbers } = await open();
    const search = async (country_code: string, number_type: 'local' | 'national') => {
      const found = await numbers.search({ country_code, number_type, capabilities: ['voice'], limit: 1 });
      return found.outcome === 'found' ? [found.offers[0]!.e164, found.offers[0]!.readiness] : found.outcome;
    };
    assert.deepEqual(await search('GB', 'local'), ['+442079460101', 'verification_required']);
    assert.deepEqual(await search('GB', 'national'), ['+443069990101', 'verification_required']);
    assert.deepEqual(await search('FR', 'local'), ['+33199000001', 'verification_required']);
    assert.deepEqual(await search('US', 'local'), ['+14155550101', 'ready']);
    assert.equal(await search('US', 'national'), 'number_type_not_supported');
  });

  test('name the bundle and the address; without them Twilio wants a verification', async () => {
    const { registration, numbers, lastBundle, approve } = await open();
    const { result } = await handOver(registration, requestFor());
    assert.ok(result.outcome === 'handed_over');
    const { provider_verification_id: reference, address_reference } = result;
    const order = { reference: randomUUID(), e164: '+442079460101' };
    const buy = async (verification: Parameters<typeof numbers.buy>[0]['verification']) => {
      const bought = await numbers.buy({ ...order, verification });
      return bought.outcome === 'refused' ? [bought.code, 'needs_verification' in bought] : bought.outcome;
    };
    assert.deepEqual(await buy(null), ['21649', true]);
    assert.deepEqual(await buy({ reference, address_reference }), ['21649', true]);
    approve(lastBundle());
    assert.deepEqual(await buy({ reference, address_reference: null }), ['21631', true]);
    assert.equal(await buy({ reference, address_reference }), 'bought');
  });

  test('a number that needs only an address is bought with it', async () => {
    const { registration, numbers, bundles } = await open();
    const request = requestFor({ country_code: 'FR', documents: [], answers: {} });
    const { result } = await handOver(registration, request);
    assert.ok(result.outcome === 'handed_over', JSON.stringify(result));
    const state = await registration.state(result.progress, 'number');
    assert.ok(state.outcome === 'known' && state.state === 'approved');
    assert.equal(bundles.size, 0);
    const verification = {
      reference: result.provider_verification_id,
      address_reference: result.address_reference,
    };
    const order = { reference: randomUUID(), e164: '+33199000001', verification };
    assert.equal((await numbers.buy(order)).outcome, 'bought');
  });
});
