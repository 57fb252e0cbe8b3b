// Registration with Telnyx against a stand-in that checks every request: conformance, states, reasons and corrections.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type { VerificationProblem } from '@parley/contract/verification-records';
import { startTelnyx, telnyx_key, telnyx_profile } from '../../../../../testing/carriers/telnyx.ts';
import { regulateFrance } from '../../../../../testing/carriers/telnyx-requirements.ts';
import type {
  Progress,
  RegistrationKind,
  RegistrationPort,
  RegistrationRequest,
} from '../../registration.ts';
import {
  handOver,
  type RegistrationSample,
  registrationConformance,
} from '../../registration-conformance.ts';
import { telnyxCarrier } from '../index.ts';

type StandIn = Awaited<ReturnType<typeof startTelnyx>>;
const opened: StandIn[] = [];
after(async () => {
  for (const { violations, close } of opened) {
    await close();
    assert.deepEqual(violations, [], 'every request and answer is allowed by Telnyx’s description');
  }
});

const clock = { now: Date.now() };

async function open() {
  const standIn = await startTelnyx();
  opened.push(standIn);
  const carrier = telnyxCarrier({
    api_key: telnyx_key,
    public_key: standIn.public_key,
    messaging_profile_id: telnyx_profile,
    connection_id: null,
    base_url: standIn.url,
    callbackUrl: () => 'https://parley.example/v1/carriers/telnyx/callbacks',
    voice: null,
    now_ms: () => clock.now,
    timeout_ms: 2000,
  });
  const items = regulateFrance(standIn);
  for (const [id, phone_number] of [
    ['1', '+13125550199'],
    ['2', '+18005550199'],
  ] as const)
    standIn.numbers.push({ id, phone_number, messaging_profile_id: null });
  standIn.brands.push({
    brandId: 'brand-1',
    displayName: 'Other',
    status: 'OK',
    identityStatus: 'VERIFIED',
    brandRelationship: 'BASIC_ACCOUNT',
    ...{ entityType: 'PRIVATE_PROFIT', country: 'US', email: 'a@example.com', vertical: 'RETAIL' },
  });
  return { standIn, carrier, port: carrier.registration!, items };
}
type Opened = Awaited<ReturnType<typeof open>>;

const address = {
  street: '1 Main St',
  city: 'Austin',
  region: 'TX',
  postal_code: '73301',
  country_code: 'US',
};
const common = {
  country_code: 'US',
  number_type: 'local',
  subject_name: 'Example Inc',
  address,
  registration_number: '12-3456789',
  use_case: null,
  brand: null,
  number: null,
} as const;

const samplesFor = ({ items }: Opened): Record<RegistrationKind, RegistrationSample> => ({
  number: {
    ...common,
    country_code: 'FR',
    answers: { [items[0]!.id]: 'Example SARL', [items[1]!.id]: '1980-12-31', [items[4]!.id]: 'company' },
  },
  us_brand: {
    ...common,
    answers: {
      entity_type: 'PRIVATE_PROFIT',
      vertical: 'RETAIL',
      email: 'a@example.com',
      phone: '+13125550100',
      website: 'https://example.com',
    },
  },
  us_campaign: {
    ...common,
    use_case: 'CUSTOMER_CARE',
    brand: { brand: 'brand-1' },
    answers: {
      description: 'Reminders of appointments that customers have made with us.',
      message_flow: 'Customers agree to texts when they make an appointment on the web page.',
      message_samples: ['Your appointment is tomorrow at 9.', 'Your appointment was moved to 10.'],
      help_message: 'Call us.',
      opt_in_message: 'You get texts now.',
      opt_out_message: 'No more texts.',
      opt_in_keywords: 'START, YES',
      terms_accepted: true,
    },
  },
  toll_free: {
    ...common,
    number_type: 'toll_free',
    use_case: 'Appointments',
    number: { e164: '+18005550199', provider_number_id: '2' },
    address: { ...address, region: 'Texas' },
    answers: {
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
    },
  },
});

const heldBy = (standIn: StandIn) => (kind: RegistrationKind) =>
  ({
    number: standIn.groups.length,
    us_brand: standIn.brands.length,
    us_campaign: standIn.campaigns.length,
    toll_free: standIn.toll_free.length,
  })[kind];

/** Loses the answer of the next request that changes something; at most one such fault waits. */
function loserOf(standIn: StandIn) {
  let is_waiting = false;
  return () => {
    if (is_waiting) return;
    is_waiting = true;
    standIn.failNext('lost', ({ method }) => {
      if (method === 'GET' || !is_waiting) return false;
      is_waiting = false;
      return true;
    });
  };
}

function decideBy({ decide }: StandIn) {
  return (kind: RegistrationKind, decision: 'approved' | 'rejected') => {
    const approved = decision === 'approved';
    if (kind === 'number') decide.groups({ status: approved ? 'approved' : 'declined', comment: 'Wrong.' });
    if (kind === 'us_brand') decide.brands(decision);
    if (kind === 'us_campaign') {
      const campaignStatus = approved ? 'MNO_PROVISIONED' : 'TELNYX_FAILED';
      decide.campaigns({ campaignStatus, ...(approved ? {} : { failureReasons: 'The flow is unclear.' }) });
    }
    if (kind === 'toll_free') decide.tollFree(approved ? 'Verified' : 'Rejected', 'The picture is missing.');
  };
}

registrationConformance('telnyx', async () => {
  const all = await open();
  const { standIn, carrier, port } = all;
  return {
    registration: port,
    messaging: carrier.messaging!,
    samples: samplesFor(all),
    held: heldBy(standIn),
    decide: decideBy(standIn),
    loseNext: loserOf(standIn),
    number: { e164: '+13125550199', provider_number_id: '1' },
  };
});

async function requestFor(all: Opened, kind: RegistrationKind): Promise<RegistrationRequest> {
  const sample = samplesFor(all)[kind];
  const query = { ...sample, kind, subject_type: 'business', e164: null } as const;
  const found = await all.port.requirements(query);
  assert.ok(found.outcome === 'found', found.outcome);
  const content = Buffer.from('%PDF-1.4 bill');
  const documents = found.set.requirements
    .filter(({ input }) => input === 'document')
    .map(({ key }) => ({
      id: randomUUID(),
      requirement: key,
      document_type: 'document',
      content_type: 'application/pdf',
      size_bytes: content.length,
      fields: {},
      read: async () => content,
    }));
  return {
    ...query,
    reference: randomUUID(),
    organization_id: randomUUID(),
    attempt: 1,
    documents,
    requirements: found.set.requirements,
    problems: [],
  };
}

async function submitted(port: RegistrationPort, request: RegistrationRequest, start: Progress = {}) {
  const { result } = await handOver(port, request, start);
  assert.ok(result.outcome === 'handed_over', JSON.stringify(result));
  return result;
}

async function stateOf(port: RegistrationPort, kind: RegistrationKind, progress: Progress) {
  const state = await port.state(progress, kind);
  assert.ok(state.outcome === 'known', JSON.stringify(state));
  return state;
}

describe('a rejection by Telnyx names its reasons, and a correction changes the same object', () => {
  for (const kind of ['number', 'us_brand', 'us_campaign', 'toll_free'] as const) {
    test(`for ${kind}, also when every answer gets lost once`, async () => {
      const all = await open();
      const { standIn, port } = all;
      const [held, decide, loseNext] = [heldBy(standIn), decideBy(standIn), loserOf(standIn)];
      const before = held(kind);
      const request = await requestFor(all, kind);
      const first = await submitted(port, request);
      assert.equal((await stateOf(port, kind, first.progress)).problems.length, 0);
      decide(kind, 'rejected');
      const rejected = await stateOf(port, kind, first.progress);
      assert.equal(rejected.state, 'rejected');
      assert.ok(rejected.problems.length > 0 && rejected.problems.every(({ message }) => message.length > 3));
      const problems: VerificationProblem[] = rejected.problems;
      const again = { ...request, attempt: 2, documents: [], problems };
      let progress: Progress = first.progress;
      for (let steps = 0, done = false; !done; steps++) {
        assert.ok(steps < 20);
        loseNext();
        const lost = await port.advance(again, progress, { may_be_done: false });
        const result =
          lost.outcome === 'lost' ? await port.advance(again, progress, { may_be_done: true }) : lost;
        assert.ok(result.outcome === 'step' || result.outcome === 'handed_over', JSON.stringify(result));
        progress = result.progress;
        done = result.outcome === 'handed_over';
      }
      assert.equal(held(kind), before + 1, 'nothing was registered twice');
      assert.ok(['submitted', 'in_review'].includes((await stateOf(port, kind, progress)).state));
      decide(kind, 'approved');
      assert.equal((await stateOf(port, kind, progress)).state, 'approved');
    });
  }
});

describe('numbers', () => {
  test('only the reviewers’ new comments are reasons, at the declined requirement', async () => {
    const all = await open();
    const { standIn, port, items } = all;
    const request = await requestFor(all, 'number');
    const first = await submitted(port, request);
    const proof = items[3]!.id;
    standIn.decide.groups({ status: 'declined', declined: [proof], comment: 'The bill is too old.' });
    const { problems } = await stateOf(port, 'number', first.progress);
    assert.deepEqual(problems, [{ key: proof, code: 'declined', message: 'The bill is too old.' }]);
    const [document] = request.documents;
    const again = { ...request, attempt: 2, documents: [{ ...document!, id: randomUUID() }], problems };
    const second = await submitted(port, again, first.progress);
    standIn.decide.groups({ status: 'declined', declined: [proof], comment: 'The bill is cut off.' });
    const later = await stateOf(port, 'number', second.progress);
    assert.deepEqual(
      later.problems.map(({ message }) => message),
      ['The bill is cut off.'],
    );
    assert.equal(standIn.groups.length, 1);
  });

  test('an approval ends with its first requirement, and is rejected after that', async () => {
    const all = await open();
    const { progress } = await submitted(all.port, await requestFor(all, 'number'));
    const expires_at = '2031-01-01T00:00:00.000Z';
    all.standIn.decide.groups({ status: 'approved', expires_at });
    assert.equal((await stateOf(all.port, 'number', progress)).expires_at?.toISOString(), expires_at);
    all.standIn.decide.groups({ status: 'expired' });
    const ended = await stateOf(all.port, 'number', progress);
    assert.equal(ended.state, 'rejected');
    assert.match(ended.problems[0]!.message, /expired/);
  });

  test('documents that Telnyx has deleted because they were not linked in time are uploaded again', async () => {
    const all = await open();
    const { port, standIn } = all;
    const request = await requestFor(all, 'number');
    let progress: Progress = {};
    while (progress.uploaded_at === undefined) {
      const result = await port.advance(request, progress, { may_be_done: false });
      assert.ok(result.outcome === 'step', JSON.stringify(result));
      progress = result.progress;
    }
    standIn.decide.expireDocuments();
    clock.now += 31 * 60_000;
    await submitted(port, request, progress);
    assert.deepEqual(
      standIn.documents.map(({ linked, content }) => [linked, content.toString()]),
      [[true, '%PDF-1.4 bill']],
    );
  });

  test('what Telnyx’s own check refuses is reported at its requirement and sent again after a correction', async () => {
    const all = await open();
    const request = await requestFor(all, 'number');
    const date = all.items[1]!.id;
    const wrong = { ...request, answers: { ...request.answers, [date]: 'yesterday' } };
    const { result } = await handOver(all.port, wrong);
    assert.ok(result.outcome === 'incomplete', JSON.stringify(result));
    assert.equal(result.problems[0]!.key, date);
    await submitted(all.port, request, result.progress);
    assert.equal(all.standIn.groups.length, 1);
  });

  test('a cancellation deletes the group, documents and addresses, also those of a lost answer', async () => {
    const all = await open();
    const { standIn, port } = all;
    const { progress } = await submitted(port, await requestFor(all, 'number'));
    const { group: _, ...without } = progress;
    for (const known of [progress, without]) {
      assert.deepEqual(await port.cancel(known, 'number'), { outcome: 'done' });
      assert.deepEqual([standIn.groups, standIn.documents, standIn.addresses], [[], [], []]);
    }
  });
});

describe('brands and campaigns', () => {
  test('a brand that needs a confirmation waits for its contact', async () => {
    const all = await open();
    const { progress } = await submitted(all.port, await requestFor(all, 'us_brand'));
    all.standIn.decide.brands('contact');
    const { state, waiting_for } = await stateOf(all.port, 'us_brand', progress);
    assert.deepEqual([state, waiting_for], ['in_review', 'contact']);
  });

  test('a refused tax number is reported at its field, and nothing was created', async () => {
    const all = await open();
    const request = { ...(await requestFor(all, 'us_brand')), registration_number: '1' };
    const { result } = await handOver(all.port, request);
    assert.ok(result.outcome === 'incomplete', JSON.stringify(result));
    assert.equal(result.problems[0]!.key, 'registration_number');
    assert.equal(all.standIn.brands.length, 1);
  });

  test('a campaign that cannot be corrected is ended before a new one is made', async () => {
    const all = await open();
    const { standIn, port } = all;
    const request = await requestFor(all, 'us_campaign');
    const first = await submitted(port, request);
    standIn.decide.campaigns({ campaignStatus: 'TCR_FAILED', failureReasons: 'The use case is wrong.' });
    const { problems } = await stateOf(port, 'us_campaign', first.progress);
    assert.deepEqual(problems, [{ key: null, code: 'tcr_failed', message: 'The use case is wrong.' }]);
    const second = await submitted(port, { ...request, attempt: 2, problems }, first.progress);
    assert.notEqual(second.provider_verification_id, first.provider_verification_id);
    assert.equal(standIn.campaigns.length, 1);
  });

  test('a use case that the brand does not qualify for is refused before anything is paid', async () => {
    const all = await open();
    const request = { ...(await requestFor(all, 'us_campaign')), use_case: 'POLITICAL' };
    const { result } = await handOver(all.port, request);
    assert.ok(result.outcome === 'incomplete', JSON.stringify(result));
    assert.equal(result.problems[0]!.key, 'use_case');
    assert.equal(all.standIn.campaigns.length, 0);
  });

  test('a brand or campaign that a lost answer left is deleted with the cancellation', async () => {
    const all = await open();
    const { standIn, port } = all;
    for (const kind of ['us_brand', 'us_campaign'] as const) {
      const before = heldBy(standIn)(kind);
      const request = await requestFor(all, kind);
      let progress: Progress = {};
      const loseNext = loserOf(standIn);
      for (let lost = false; !lost; ) {
        if (kind !== 'us_campaign' || progress.profile) loseNext();
        const result = await port.advance(request, progress, { may_be_done: false });
        if (result.outcome === 'step') progress = result.progress;
        lost = result.outcome === 'lost';
      }
      assert.equal(heldBy(standIn)(kind), before + 1);
      assert.deepEqual(await port.cancel(progress, kind), { outcome: 'done' });
      assert.equal(heldBy(standIn)(kind), before);
    }
  });
});

test('a word that is not known is unclear, and what Telnyx does not have is absent', async () => {
  const all = await open();
  const { port, standIn } = all;
  for (const kind of port.kinds)
    assert.equal((await port.state({ id: randomUUID() }, kind)).outcome, 'absent', kind);
  const { progress } = await submitted(port, await requestFor(all, 'us_campaign'));
  standIn.decide.campaigns({ campaignStatus: 'PONDERING' });
  assert.deepEqual(await port.state(progress, 'us_campaign'), { outcome: 'unclear', word: 'PONDERING' });
  // Deliberately not a word of the description.
  standIn.violations.length = 0;
});
