// Conformance suite of the registration and messaging ports: vendors pass it against a stand-in, the sandbox against itself.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Answer } from '@parley/contract/channels/numbers/verifications';
import type {
  AdvanceResult,
  MessagingPort,
  Progress,
  RegistrationKind,
  RegistrationPort,
  RegistrationQuery,
  RegistrationRequest,
} from './registration.ts';

/** A port under test, with control over the other side. */
export type RegistrationUnderTest = {
  registration: RegistrationPort;
  /** Null where the carrier has no messaging services. */
  messaging: MessagingPort | null;
  /** Complete input for each kind that the port registers; documents and requirements are added by the suite. */
  samples: Partial<Record<RegistrationKind, RegistrationSample>>;
  /** How many objects of this kind (bundles, groups, brands, campaigns, toll-free requests) the carrier holds. */
  held: ((kind: RegistrationKind) => number) | null;
  /** The carrier decides; null where the sandbox decides by the name of the subject. */
  decide: ((kind: RegistrationKind, decision: 'approved' | 'rejected') => void) | null;
  /** Makes the answer of the next changing request get lost after it was done; null for a carrier without a network. */
  loseNext: (() => void) | null;
  number: { e164: string; provider_number_id: string };
};

export type RegistrationSample = Pick<RegistrationQuery, 'country_code' | 'number_type'> & {
  subject_name: string;
  address: RegistrationRequest['address'];
  registration_number: string | null;
  use_case: string | null;
  answers: Record<string, Answer>;
  brand: Progress | null;
  number: RegistrationRequest['number'];
};

type Open = () => Promise<RegistrationUnderTest>;

export function registrationConformance(name: string, open: Open): void {
  describe(`the registration port of ${name}`, () => {
    requirementTests(open);
    submissionTests(open);
    messagingTests(open);
  });
}

const queryOf = (kind: RegistrationKind, sample: RegistrationSample): RegistrationQuery => ({
  kind,
  country_code: sample.country_code,
  number_type: sample.number_type,
  subject_type: 'business',
  use_case: sample.use_case,
  e164: sample.number?.e164 ?? null,
  brand: sample.brand,
});

async function requestFor(
  { registration }: RegistrationUnderTest,
  kind: RegistrationKind,
  sample: RegistrationSample,
): Promise<RegistrationRequest> {
  const query = queryOf(kind, sample);
  const found = await registration.requirements(query);
  assert.ok(found.outcome === 'found', found.outcome);
  const { requirements } = found.set;
  const documents = requirements.flatMap(({ key, input, accepted_documents }) => {
    if (input !== 'document') return [];
    const [accepted] = accepted_documents ?? [];
    const content = Buffer.from(`%PDF-1.4 ${key}`);
    const fields = Object.fromEntries((accepted?.fields ?? []).map(({ value }) => [value, 'sample']));
    return [
      {
        id: randomUUID(),
        requirement: key,
        document_type: accepted?.type ?? key,
        content_type: 'application/pdf',
        size_bytes: content.length,
        fields,
        read: async () => content,
      },
    ];
  });
  const { number, brand, answers, subject_name, address, registration_number } = sample;
  const parts = { number, brand, answers, subject_name, address, registration_number };
  return {
    reference: randomUUID(),
    organization_id: randomUUID(),
    attempt: 1,
    ...query,
    ...parts,
    documents,
    requirements,
    problems: [],
  };
}

/** Runs all steps. A lost answer is repeated with `may_be_done`, as the feature does. */
export async function handOver(
  port: RegistrationPort,
  request: RegistrationRequest,
  start: Progress = {},
): Promise<{ result: AdvanceResult; steps: number }> {
  let progress = start;
  let may_be_done = false;
  for (let steps = 1; steps < 60; steps++) {
    const result = await port.advance(request, progress, { may_be_done });
    may_be_done = result.outcome === 'lost';
    if (result.outcome === 'step') progress = result.progress;
    else if (result.outcome !== 'lost') return { result, steps };
  }
  return assert.fail('the submission does not come to an end');
}

function requirementTests(open: Open): void {
  test('it says what the carrier wants to know, with unique keys', async () => {
    const under_test = await open();
    for (const kind of under_test.registration.kinds) {
      const sample = under_test.samples[kind];
      assert.ok(sample, `a sample for ${kind}`);
      const requirements = await under_test.registration.requirements(queryOf(kind, sample));
      assert.ok(requirements.outcome === 'found', `${kind} ${requirements.outcome}`);
      const keys = requirements.set.requirements.map(({ key }) => key);
      assert.equal(new Set(keys).size, keys.length);
      for (const { input, choices } of requirements.set.requirements)
        assert.equal(input === 'choice', choices !== null, 'exactly a choice has choices');
    }
  });
}

function submissionTests(open: Open): void {
  test('it hands over each kind and reports the decision', async () => {
    const under_test = await open();
    const { registration, samples, decide } = under_test;
    for (const kind of registration.kinds) {
      const request = await requestFor(under_test, kind, samples[kind]!);
      const { result } = await handOver(registration, request);
      assert.ok(result.outcome === 'handed_over', `${kind}: ${JSON.stringify(result)}`);
      decide?.(kind, 'approved');
      const state = await registration.state(result.progress, kind);
      assert.ok(state.outcome === 'known', state.outcome);
      assert.ok(['submitted', 'in_review', 'approved'].includes(state.state), state.state);
    }
  });

  test('an answer that gets lost creates nothing twice', async (context) => {
    const under_test = await open();
    const { registration, samples, held, loseNext } = under_test;
    if (!held || !loseNext) return context.skip('this carrier has no network');
    for (const kind of registration.kinds) {
      const before = held(kind);
      const request = await requestFor(under_test, kind, samples[kind]!);
      let progress: Progress = {};
      for (let steps = 0; ; steps++) {
        assert.ok(steps < 60, 'the submission does not come to an end');
        loseNext();
        const lost = await registration.advance(request, progress, { may_be_done: false });
        const result =
          lost.outcome === 'lost'
            ? await registration.advance(request, progress, { may_be_done: true })
            : lost;
        if (result.outcome === 'step') progress = result.progress;
        else {
          assert.equal(result.outcome, 'handed_over', `${kind}: ${JSON.stringify(result)}`);
          break;
        }
      }
      assert.equal(held(kind), before + 1, kind);
    }
  });

  test('what was never submitted can be canceled, and an unknown reference is absent', async () => {
    const { registration } = await open();
    const [kind] = registration.kinds;
    assert.deepEqual(await registration.cancel({}, kind!), { outcome: 'done' });
    const adopted = await registration.adopt({ kind: kind!, provider_verification_id: 'no-such-id' });
    assert.equal(adopted.outcome, 'absent');
  });
}

function messagingTests(open: Open): void {
  test('an organization has one messaging service, which a number joins once', async (context) => {
    const { messaging, number } = await open();
    if (!messaging) return context.skip('this carrier has no messaging services');
    const organization_id = randomUUID();
    const service = await messaging.ensureService(organization_id);
    assert.ok(service.outcome === 'done', service.outcome);
    assert.deepEqual(await messaging.ensureService(organization_id), service);
    for (const _ of [1, 2])
      assert.deepEqual(await messaging.attach(number, service.service_reference), { outcome: 'done' });
  });
}
