// Brands, campaigns, toll-free verifications and messaging services of Twilio against a stand-in that is as strict as its description.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { skip_without_contracts } from '../../../../../testing/carrier-contract.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../../../testing/carriers/twilio.ts';
import { decideAll, text_samples } from '../../../../../testing/carriers/twilio-decisions.ts';
import { primary_profile } from '../../../../../testing/carriers/twilio-trusthub.ts';
import type {
  Progress,
  RegistrationKind,
  RegistrationPort,
  RegistrationRequest,
} from '../../registration.ts';
import { registrationConformance } from '../../registration-conformance.ts';
import { twilioCarrier } from '../index.ts';

const text_kinds = ['us_brand', 'us_campaign', 'toll_free'] as const;
type TextKind = (typeof text_kinds)[number];

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function open(settings: { profile?: string | null; email?: string | null } = {}) {
  const standIn = await startTwilio();
  closing.push(standIn.close);
  standIn.messaging.registers_numbers = false;
  const carrier = twilioCarrier({
    account_sid: twilio_account,
    auth_token: twilio_token,
    base_url: standIn.url,
    callbackUrl: () => 'https://parley.example/v1/carriers/twilio/callbacks',
    voice: null,
    timeout_ms: 30_000,
    compliance_email: settings.email === undefined ? 'compliance@example.com' : settings.email,
    customer_profile_sid: settings.profile === undefined ? primary_profile : settings.profile,
  });
  const buy = async (e164: string) => {
    const bought = await carrier.numbers.buy({ reference: randomUUID(), e164, verification: null });
    assert.ok(bought.outcome === 'bought', bought.outcome);
    return { e164, provider_number_id: bought.provider_number_id };
  };
  return { standIn, carrier, registration: carrier.registration!, messaging: carrier.messaging!, buy };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** A request with complete answers. */
async function requestFor(
  { registration, buy, ...rest }: Opened,
  kind: TextKind,
): Promise<RegistrationRequest> {
  const brand = kind === 'us_campaign' ? await approvedBrand({ registration, buy, ...rest }) : null;
  const number = kind === 'toll_free' ? await buy('+18335550101') : null;
  const sample = text_samples[kind];
  const number_type = kind === 'toll_free' ? ('toll_free' as const) : ('local' as const);
  const query = { kind, country_code: 'US', number_type, use_case: null, e164: number?.e164 ?? null, brand };
  const found = await registration.requirements({ ...query, subject_type: 'business' });
  assert.ok(found.outcome === 'found', JSON.stringify(found));
  return {
    reference: randomUUID(),
    organization_id: randomUUID(),
    attempt: 1,
    kind,
    country_code: 'US',
    number_type,
    subject_type: 'business',
    use_case: null,
    ...sample,
    documents: [],
    requirements: found.set.requirements,
    problems: [],
    brand,
    number,
  };
}

/** Runs a registration to its end, as the feature does; the carrier approves every part. */
async function runThrough(
  { standIn, registration }: Pick<Opened, 'standIn' | 'registration'>,
  request: RegistrationRequest,
  start: Progress = {},
  decide = () => decideAll(standIn, 'approved'),
): Promise<{ progress: Progress; state: string }> {
  let progress = start;
  let may_be_done = false;
  for (let steps = 0; steps < 80; steps++) {
    const result = await registration.advance(request, progress, { may_be_done });
    may_be_done = result.outcome === 'lost';
    if (may_be_done) continue;
    assert.ok(result.outcome === 'step' || result.outcome === 'handed_over', JSON.stringify(result));
    progress = result.progress;
    if (result.outcome === 'step') continue;
    decide();
    const state = await registration.state(progress, request.kind);
    assert.ok(state.outcome === 'known', JSON.stringify(state));
    if (!state.ready_to_advance) return { progress, state: state.state };
  }
  return assert.fail('the registration does not come to an end');
}

const approvedBrand = async (opened: Opened): Promise<Progress> =>
  (await runThrough(opened, await requestFor(opened, 'us_brand'))).progress;

const known = async (port: RegistrationPort, progress: Progress, kind: RegistrationKind) => {
  const state = await port.state(progress, kind);
  assert.ok(state.outcome === 'known', JSON.stringify(state));
  return state;
};

registrationConformance('twilio texts', async () => {
  const opened = await open();
  const { standIn, registration, messaging, buy } = opened;
  const { hub, messaging: held } = standIn;
  const brand = await approvedBrand(opened);
  const number = await buy('+18335550101');
  const shared = { country_code: 'US', number_type: 'local' as const, use_case: null, brand, number: null };
  return {
    registration: { ...registration, kinds: text_kinds },
    messaging,
    samples: {
      us_brand: { ...shared, ...text_samples.us_brand, brand: null },
      us_campaign: { ...shared, ...text_samples.us_campaign },
      toll_free: { ...shared, ...text_samples.toll_free, number_type: 'toll_free' as const, number },
    },
    // The first part of a brand is the profile.
    held: (kind) =>
      kind === 'us_brand'
        ? hub.profiles.length
        : kind === 'us_campaign'
          ? held.campaigns.length
          : held.toll_free.length,
    decide: (_, decision) => decideAll(standIn, decision),
    loseNext: () => standIn.failNext('lost', ({ method }) => method !== 'GET'),
    number: await buy('+14155550102'),
  };
});

describe('a lost answer', () => {
  for (const kind of text_kinds)
    test(`to any request of a ${kind} registers nothing twice`, async () => {
      // Runs again and again; the answer that is lost is that of the first request, of the second, and so on.
      for (let lost = 1; ; lost++) {
        const opened = await open();
        const request = await requestFor(opened, kind);
        const { standIn } = opened;
        let requests = 0;
        standIn.failNext('lost', ({ method }) => method !== 'GET' && ++requests === lost);
        const { state } = await runThrough(opened, request);
        assert.equal(state, 'approved', `${kind} ${lost}`);
        const { brands, campaigns, services, toll_free } = standIn.messaging;
        const names = services.map(({ friendly_name }) => friendly_name);
        assert.deepEqual(
          {
            profiles: standIn.hub.profiles.length,
            products: standIn.hub.products.length,
            brands: brands.length,
            campaigns: campaigns.length,
            toll_free: toll_free.length,
            services: new Set(names).size,
          },
          kind === 'toll_free'
            ? { profiles: 1, products: 0, brands: 0, campaigns: 0, toll_free: 1, services: names.length }
            : {
                profiles: 2,
                products: 1,
                brands: 1,
                campaigns: kind === 'us_campaign' ? 1 : 0,
                toll_free: 0,
                services: names.length,
              },
          `${kind} ${lost}`,
        );
        assert.deepEqual(standIn.violations, []);
        if (requests < lost) {
          assert.ok(lost > (kind === 'us_brand' ? 15 : 1), `only ${lost - 1} requests`);
          return;
        }
      }
    });
});

test('the stand-in refuses and notes what Twilio’s description does not have', {
  skip: skip_without_contracts,
}, async () => {
  const { standIn } = await open();
  const authorization = `Basic ${Buffer.from(`${twilio_account}:${twilio_token}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'FriendlyName=x&UseInboundWebhookOnNumbre=true';
  const answer = await fetch(`${standIn.url}/v1/Services`, { method: 'POST', headers, body });
  assert.deepEqual([answer.status, standIn.violations.length], [400, 1]);
});

describe('a US brand', () => {
  test('needs the operator’s approved primary profile, and says what to set', async () => {
    const query = {
      kind: 'us_brand',
      country_code: 'US',
      number_type: 'local',
      subject_type: 'business',
    } as const;
    const asked = { ...query, use_case: null, e164: null, brand: null };
    for (const [settings, name] of [
      [{ profile: null }, 'TWILIO_CUSTOMER_PROFILE_SID'],
      [{ email: null }, 'PARLEY_COMPLIANCE_EMAIL'],
      [{ profile: `BU${'0'.repeat(32)}` }, 'TWILIO_CUSTOMER_PROFILE_SID'],
    ] as const) {
      const { registration } = await open(settings);
      const answer = await registration.requirements(asked);
      assert.ok(answer.outcome === 'not_supported', answer.outcome);
      assert.match(answer.detail, new RegExp(name));
    }
  });

  test('is checked by Twilio before each submission, and problems name the item of the form', async () => {
    const opened = await open();
    const { registration, standIn } = opened;
    const request = await requestFor(opened, 'us_brand');
    const { website_url: _, ...answers } = request.answers;
    let progress: Progress = {};
    let result = await registration.advance({ ...request, answers }, progress, { may_be_done: false });
    while (result.outcome === 'step') {
      progress = result.progress;
      result = await registration.advance({ ...request, answers }, progress, { may_be_done: false });
    }
    assert.ok(result.outcome === 'incomplete', result.outcome);
    assert.deepEqual(
      result.problems.map(({ key }) => key),
      ['website_url'],
    );
    // The same attempt with the missing answer continues with the objects that exist.
    const { state } = await runThrough(opened, request, result.progress);
    assert.equal(state, 'approved');
    assert.deepEqual([standIn.hub.profiles.length, standIn.messaging.brands.length], [2, 1]);
  });

  test('that the registry refused is corrected and submitted again', async () => {
    const opened = await open();
    const { registration, standIn } = opened;
    const request = await requestFor(opened, 'us_brand');
    const failed = await runThrough(opened, request, {}, () => {
      decideAll(standIn, 'approved');
      for (const brand of standIn.messaging.brands)
        Object.assign(brand, {
          status: 'FAILED',
          errors: [{ error_code: 30701, description: 'Invalid state.', fields: ['region'], url: null }],
        });
    });
    const { problems } = await known(registration, failed.progress, 'us_brand');
    assert.deepEqual(problems, [{ key: 'address', code: '30701', message: 'Invalid state.' }]);
    const address = { ...request.address!, region: 'NV' };
    const again = { ...request, attempt: 2, problems, address };
    assert.equal((await runThrough(opened, again, failed.progress)).state, 'approved');
    assert.equal(standIn.messaging.brands.length, 1);
    const addresses = [...standIn.compliance.addresses.values()];
    assert.deepEqual(
      addresses.map(({ form }) => form.Region),
      ['NV'],
    );
  });

  test('with an address that Twilio does not know is not submitted', async () => {
    const opened = await open();
    const request = await requestFor(opened, 'us_brand');
    const unknown = { ...request, address: { ...request.address!, street: 'No such street' } };
    const refused = await opened.registration.advance(unknown, {}, { may_be_done: false });
    assert.ok(refused.outcome === 'incomplete', refused.outcome);
    assert.deepEqual([refused.problems[0]!.key, refused.problems[0]!.code], ['address', '21628']);
  });

  test('whose profile or product Twilio rejected goes on with the same objects', async () => {
    const opened = await open();
    const { standIn } = opened;
    const request = await requestFor(opened, 'us_brand');
    const first = await runThrough(opened, request, {}, () => decideAll(standIn, 'rejected'));
    assert.equal(first.state, 'rejected');
    let parts = 0;
    const second = await runThrough(opened, { ...request, attempt: 2 }, first.progress, () =>
      decideAll(standIn, ++parts === 1 ? 'approved' : 'rejected'),
    );
    assert.equal(second.state, 'rejected');
    const third = await runThrough(opened, { ...request, attempt: 3 }, second.progress);
    assert.equal(third.state, 'approved');
    const { hub, messaging, violations } = standIn;
    assert.deepEqual([hub.profiles.length, hub.products.length, messaging.brands.length], [2, 1, 1]);
    assert.deepEqual(violations, []);
  });

  test('is told in each state, and one from the console is adopted', async () => {
    const opened = await open();
    const { registration, standIn } = opened;
    const progress = await approvedBrand(opened);
    const [brand] = standIn.messaging.brands;
    const told = async (status: string, identity_status = 'VERIFIED') => {
      Object.assign(brand!, { status, identity_status });
      const { state, waiting_for } = await known(registration, progress, 'us_brand');
      return [state, waiting_for];
    };
    assert.deepEqual(await told('IN_REVIEW'), ['in_review', null]);
    assert.deepEqual(await told('APPROVED', 'UNVERIFIED'), ['in_review', 'contact']);
    assert.deepEqual(await told('APPROVED', 'VETTED_VERIFIED'), ['approved', null]);
    assert.deepEqual(await told('SUSPENDED'), ['rejected', null]);
    brand!.status = 'NEW_WORD';
    // The stand-in refuses a word that the description does not have, so it is only known that nothing is known.
    assert.notEqual((await registration.state(progress, 'us_brand')).outcome, 'known');
    brand!.status = 'APPROVED';
    const adopted = await registration.adopt({ kind: 'us_brand', provider_verification_id: brand!.sid });
    assert.ok(adopted.outcome === 'found', adopted.outcome);
    assert.equal((await known(registration, adopted.progress, 'us_brand')).state, 'approved');
  });
});

describe('a US campaign', () => {
  test('offers the use cases of the carrier', async () => {
    const opened = await open();
    const { requirements } = await requestFor(opened, 'us_campaign');
    const item = requirements.find(({ key }) => key === 'use_case')!;
    assert.deepEqual([item.input, item.required], ['choice', true]);
    assert.ok(item.choices!.some(({ value }) => value === 'CUSTOMER_CARE'));
  });

  const failWith = (standIn: Opened['standIn'], field: string) => () => {
    for (const campaign of standIn.messaging.campaigns)
      Object.assign(campaign, {
        campaign_status: 'FAILED',
        errors: [{ error_code: 30886, description: 'Not clear.', fields: [field], url: null }],
      });
  };

  test('that the networks refused is edited, or replaced where that is not possible', async () => {
    for (const [edits, field, key, replaced] of [
      [true, 'MESSAGE_FLOW', 'message_flow', false],
      [false, 'MESSAGE_FLOW', 'message_flow', true],
      [true, 'USE_CASE', 'use_case', true],
    ] as const) {
      const opened = await open();
      const { registration, standIn } = opened;
      standIn.messaging.edits_campaigns = edits;
      const request = await requestFor(opened, 'us_campaign');
      const failed = await runThrough(opened, request, {}, failWith(standIn, field));
      const { problems } = await known(registration, failed.progress, 'us_campaign');
      assert.deepEqual(problems, [{ key, code: '30886', message: 'Not clear.' }]);
      const before = standIn.messaging.campaigns[0]!.sid;
      const message_flow = `${String(request.answers.message_flow)} They can stop with STOP.`;
      const again = { ...request, attempt: 2, problems, answers: { ...request.answers, message_flow } };
      assert.equal((await runThrough(opened, again, failed.progress)).state, 'approved');
      const [campaign, ...more] = standIn.messaging.campaigns;
      assert.deepEqual([more.length, campaign!.sid !== before], [0, replaced]);
      assert.equal(campaign!.message_flow, message_flow);
      assert.deepEqual(standIn.violations, []);
    }
  });

  test('with too few samples is not sent, and a canceled one is deleted with its service', async () => {
    const opened = await open();
    const { registration, standIn } = opened;
    const request = await requestFor(opened, 'us_campaign');
    const few = { ...request, answers: { ...request.answers, message_samples: ['Too short'] } };
    const refused = await registration.advance(few, {}, { may_be_done: false });
    assert.ok(refused.outcome === 'incomplete' && refused.problems[0]!.key === 'message_samples');
    const services = standIn.messaging.services.length;
    const { progress } = await runThrough(opened, request, {}, () => {});
    assert.deepEqual(await registration.cancel(progress, 'us_campaign'), { outcome: 'done' });
    assert.deepEqual(await registration.cancel(progress, 'us_campaign'), { outcome: 'done' });
    assert.deepEqual([standIn.messaging.campaigns.length, standIn.messaging.services.length], [0, services]);
  });

  test('from the console is adopted by its id or by the id of its service', async () => {
    const opened = await open();
    const { registration, standIn } = opened;
    await runThrough(opened, await requestFor(opened, 'us_campaign'));
    const [campaign] = standIn.messaging.campaigns;
    for (const provider_verification_id of [campaign!.sid, campaign!.service]) {
      const adopted = await registration.adopt({ kind: 'us_campaign', provider_verification_id });
      assert.ok(adopted.outcome === 'found', adopted.outcome);
      assert.equal(adopted.service_reference, campaign!.service);
      assert.equal((await known(registration, adopted.progress, 'us_campaign')).state, 'approved');
    }
  });
});

describe('a toll-free verification', () => {
  const reject = (standIn: Opened['standIn'], edit_allowed: boolean) => () => {
    for (const each of standIn.messaging.toll_free)
      Object.assign(each, {
        status: 'TWILIO_REJECTED',
        edit_allowed,
        edit_expiration: '2026-12-01T00:00:00Z',
        rejection_reasons: [{ code: 30475, reason: 'The opt-in is not shown.' }],
      });
  };

  test('says until when it can be corrected, and is edited or replaced', async () => {
    for (const edit_allowed of [true, false]) {
      const opened = await open();
      const { registration, standIn } = opened;
      const request = await requestFor(opened, 'toll_free');
      const failed = await runThrough(opened, request, {}, reject(standIn, edit_allowed));
      const { problems, editable_until } = await known(registration, failed.progress, 'toll_free');
      assert.deepEqual(problems, [{ key: null, code: '30475', message: 'The opt-in is not shown.' }]);
      assert.equal(editable_until?.toISOString(), edit_allowed ? '2026-12-01T00:00:00.000Z' : undefined);
      const again = { ...request, attempt: 2, problems, subject_name: 'Corrected Inc' };
      assert.equal((await runThrough(opened, again, failed.progress)).state, 'approved');
      const held = standIn.messaging.toll_free;
      assert.equal(held.length, edit_allowed ? 1 : 2);
      assert.equal(held.at(-1)!.business_name, 'Corrected Inc');
      assert.deepEqual(standIn.violations, []);
    }
  });

  test('needs a registration number, except for a sole proprietor', async () => {
    const opened = await open();
    const request = { ...(await requestFor(opened, 'toll_free')), registration_number: null };
    const refused = await opened.registration.advance(request, {}, { may_be_done: false });
    assert.ok(refused.outcome === 'incomplete' && refused.problems[0]!.key === 'registration_number');
    const answers = { ...request.answers, business_type: 'SOLE_PROPRIETOR' };
    assert.equal((await runThrough(opened, { ...request, answers })).state, 'approved');
  });
});

describe('a number', () => {
  const us = { country_code: 'US', number_type: 'local' as const };

  test('is registered when its messaging service has a verified campaign', async () => {
    const opened = await open();
    const { messaging, standIn, buy } = opened;
    const number = { ...(await buy('+14155550101')), ...us };
    const stateOf = async (campaign: Progress | null, messaging_service_reference: string | null) => {
      const report = await messaging.registration({ ...number, messaging_service_reference }, campaign);
      assert.ok(report.outcome === 'known', report.outcome);
      return report.state;
    };
    assert.equal(await stateOf(null, null), 'missing');
    const own = await messaging.ensureService(randomUUID());
    assert.ok(own.outcome === 'done');
    await messaging.attach(number, own.service_reference);
    assert.equal(await stateOf(null, own.service_reference), 'missing');
    const service = standIn.messaging.services.find(({ sid }) => sid === own.service_reference)!;
    assert.equal(service.use_inbound_webhook_on_number, true);
    const request = await requestFor(opened, 'us_campaign');
    const { progress } = await runThrough(opened, request, {}, () => {});
    assert.equal(await stateOf(progress, own.service_reference), 'missing', 'it has not joined');
    for (const _ of [1, 2])
      assert.deepEqual(await messaging.attachCampaign(number, progress), {
        outcome: 'done',
        service_reference: progress.service_sid,
      });
    assert.equal(await stateOf(progress, null), 'pending');
    decideAll(standIn, 'approved');
    assert.equal(await stateOf(progress, null), 'registered');
    decideAll(standIn, 'rejected');
    assert.equal(await stateOf(progress, null), 'failed');
    const left = await messaging.attachCampaign(number, null);
    assert.deepEqual(left, { outcome: 'done', service_reference: null });
    assert.equal(await stateOf(null, own.service_reference), 'missing');
    assert.deepEqual(standIn.violations, []);
  });

  test('that the operator registered in the console stays in its service', async () => {
    const { messaging, standIn, buy } = await open();
    standIn.messaging.registers_numbers = true;
    const number = { ...(await buy('+14155550101')), ...us };
    const own = await messaging.ensureService(randomUUID());
    assert.ok(own.outcome === 'done');
    const joined = await messaging.attach(number, own.service_reference);
    const [made_in_console] = standIn.messaging.services;
    assert.deepEqual(joined, { outcome: 'done', service_reference: made_in_console!.sid });
    const at = { ...number, messaging_service_reference: made_in_console!.sid };
    assert.deepEqual(await messaging.registration(at, null), {
      outcome: 'known',
      state: 'registered',
      reason: null,
    });
  });

  test('that is toll-free follows its verification, also one from the console', async () => {
    const opened = await open();
    const { messaging, standIn } = opened;
    const request = await requestFor(opened, 'toll_free');
    const number = { ...request.number!, country_code: 'US', number_type: 'toll_free' as const };
    const stateOf = async () => {
      const report = await messaging.registration(number, null);
      return report.outcome === 'known' ? report.state : report.outcome;
    };
    assert.equal(await stateOf(), 'missing');
    await runThrough(opened, request, {}, () => {});
    assert.equal(await stateOf(), 'pending');
    decideAll(standIn, 'approved');
    assert.equal(await stateOf(), 'registered');
    decideAll(standIn, 'rejected');
    assert.equal(await stateOf(), 'failed');
  });

  test('of another country needs no registration', async () => {
    const { messaging } = await open();
    const number = { e164: '+447400000000', provider_number_id: `PN${'0'.repeat(32)}` };
    const report = await messaging.registration(
      { ...number, country_code: 'GB', number_type: 'mobile' },
      null,
    );
    assert.deepEqual(report, { outcome: 'known', state: 'not_required', reason: null });
  });
});
