// Opens Twilio's registrations for texts on the stand-in, and runs them to their end as the feature does.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import type {
  Progress,
  RegistrationKind,
  RegistrationPort,
  RegistrationRequest,
} from '../../src/providers/carrier/registration.ts';
import { twilioCarrier } from '../../src/providers/carrier/twilio/index.ts';
import { startTwilio, twilio_account, twilio_token } from './twilio.ts';
import { decideAll, text_samples } from './twilio-decisions.ts';
import { primary_profile } from './twilio-trusthub.ts';

export const text_kinds = ['us_brand', 'us_campaign', 'toll_free'] as const;
export type TextKind = (typeof text_kinds)[number];

/** Closed at the end of the test that called this. */
export async function openTwilioTexts(settings: { profile?: string | null; email?: string | null } = {}) {
  const standIn = await startTwilio();
  after(standIn.close);
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
export type TwilioTexts = Awaited<ReturnType<typeof openTwilioTexts>>;

/** A request with complete answers. */
export async function requestFor(
  { registration, buy, ...rest }: TwilioTexts,
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
export async function runThrough(
  { standIn, registration }: Pick<TwilioTexts, 'standIn' | 'registration'>,
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

export const approvedBrand = async (opened: TwilioTexts): Promise<Progress> =>
  (await runThrough(opened, await requestFor(opened, 'us_brand'))).progress;

export const known = async (port: RegistrationPort, progress: Progress, kind: RegistrationKind) => {
  const state = await port.state(progress, kind);
  assert.ok(state.outcome === 'known', JSON.stringify(state));
  return state;
};
