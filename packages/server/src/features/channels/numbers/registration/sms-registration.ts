// Puts numbers into the organization's messaging service and campaign, and follows their registration for texts.
import type { SmsRegistration } from '@parley/contract/channels/numbers/numbers';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Outbox } from '../../../../platform/outbox.ts';
import type { MessagingPort } from '../../../../providers/carrier/registration.ts';
import type { GuardedCarriers } from '../../../rules/admission/index.ts';
import type { SmsApproval, VerificationService } from '../../verifications/index.ts';
import type { SmsNumber, SmsRegistrationStore } from './sms-registration-store.ts';

export type SmsRegistrationDeps = {
  db: Database;
  outbox: Outbox;
  registrations: SmsRegistrationStore;
  verifications: Pick<VerificationService, 'campaigns' | 'campaign' | 'tollFree'>;
  carriers: GuardedCarriers;
  clock: Clock;
  log: Log;
};

const check_hours = 1;
const numbers_per_run = 200;
/** Shorter than the lease of the job by more than a slow check; the next run goes on. */
const run_seconds = 600;

/** The job: numbers that were not checked for an hour. A failure of one does not stop the others. */
export async function syncDue(deps: SmsRegistrationDeps): Promise<void> {
  const { registrations, clock } = deps;
  const start_ms = clock.ms();
  const before = new Date(start_ms - check_hours * 3_600_000);
  for (const { organization_id, id } of await registrations.due(before, numbers_per_run)) {
    if (clock.ms() - start_ms > run_seconds * 1000) return;
    const number = await registrations.find(organization_id, id);
    if (number && !(await syncSafely(deps, number))) await registrations.failed(number, clock.now());
  }
}

/** The job of one organization: a campaign or a toll-free verification has changed, or a number was bought. */
export async function syncOrganization(deps: SmsRegistrationDeps, organization_id: string): Promise<void> {
  for (const number of await deps.registrations.ofOrganization(organization_id))
    await syncSafely(deps, number);
}

/** False after a failure. */
async function syncSafely(deps: SmsRegistrationDeps, number: SmsNumber): Promise<boolean> {
  try {
    await syncNumber(deps, number);
    return true;
  } catch (error) {
    deps.log.warn({ number_id: number.id, err: error }, 'registration for texts not updated');
    return false;
  }
}

/** Every step is idempotent at the carrier, so that a run that was interrupted is repeated as a whole. */
async function syncNumber(deps: SmsRegistrationDeps, number: SmsNumber): Promise<void> {
  const port = deps.carriers.byName(number.provider)?.messaging;
  if (!port) return store(deps, number, { state: 'unknown', verification_id: null, reason: null });
  const approval = await approvalOf(deps, number);
  const campaign = number.number_type === 'toll_free' ? null : approval;
  const messaging_service_reference = await joinService(deps, port, number, campaign);
  const report = await port.registration(
    { ...number, messaging_service_reference },
    approval?.progress ?? null,
  );
  if (report.outcome !== 'known') throw new Error(`the carrier did not answer: ${report.outcome}`);
  const { state, reason } = report;
  await store(deps, number, { state, verification_id: approval?.id ?? null, reason });
}

/**
 * The toll-free verification of the number; for others its campaign, or the organization's only approved one unless a person
 * decided about the number.
 */
async function approvalOf(
  { verifications, registrations, clock }: SmsRegistrationDeps,
  number: SmsNumber,
): Promise<SmsApproval | null> {
  const { organization_id, id, provider } = number;
  if (number.number_type === 'toll_free') return verifications.tollFree(organization_id, id);
  if (number.campaign_verification_id)
    return verifications.campaign(organization_id, number.campaign_verification_id);
  if (number.is_chosen || number.country_code !== 'US' || number.number_type !== 'local') return null;
  const [campaign, ...more] = await verifications.campaigns(organization_id, provider);
  if (!campaign || more.length > 0) return null;
  await registrations.setCampaign(number, campaign.id, { now: clock.now(), chosen: false });
  return campaign;
}

/** Returns the service that the number is in. */
async function joinService(
  deps: SmsRegistrationDeps,
  port: MessagingPort,
  number: SmsNumber,
  campaign: SmsApproval | null,
): Promise<string> {
  const { organization_id, id } = number;
  let current = number.messaging_service_sid;
  if (current === null) {
    const service = await serviceOf(deps, port, number);
    const joined = await port.attach(number, service);
    if (joined.outcome !== 'done') throw new Error(`the number did not join: ${joined.outcome}`);
    current = joined.service_reference ?? service;
    await deps.registrations.setService(organization_id, id, current);
  }
  if (campaign?.state !== 'approved') return current;
  const at_carrier = { ...number, messaging_service_reference: current };
  const joined = await port.attachCampaign(at_carrier, campaign.progress);
  if (joined.outcome !== 'done') throw new Error(`the number did not join the campaign: ${joined.outcome}`);
  if (joined.service_reference === null || joined.service_reference === current) return current;
  await deps.registrations.setService(organization_id, id, joined.service_reference);
  return joined.service_reference;
}

/** The organization's messaging service; created once, and found at the carrier after a lost answer. */
async function serviceOf(
  { registrations, clock }: SmsRegistrationDeps,
  port: MessagingPort,
  { organization_id, provider }: SmsNumber,
): Promise<string> {
  const known = await registrations.service(organization_id, provider);
  if (known) return known.provider_service_id;
  const made = await port.ensureService(organization_id);
  if (made.outcome !== 'done') throw new Error(`no messaging service: ${made.outcome}`);
  await registrations.insertService(organization_id, provider, made.service_reference, clock.now());
  return made.service_reference;
}

const events = { registered: 'number.sms_registered', failed: 'number.sms_registration_failed' } as const;

async function store(
  { db, outbox, registrations, clock }: SmsRegistrationDeps,
  number: SmsNumber,
  registration: SmsRegistration,
): Promise<void> {
  const now = clock.now();
  const { state, verification_id, reason } = registration;
  const type = state === 'registered' || state === 'failed' ? events[state] : null;
  await db.transaction(async (tx) => {
    await registrations.checked(tx, number, registration, now);
    if (!type || number.sms_registration.state === state) return;
    const { id, organization_id, e164 } = number;
    const data = { id, e164, verification_id, reason, occurred_at: now.toISOString() };
    await outbox.write(tx, [{ type, organization_id, resource_id: id, data }]);
  });
}

/** Removes a number from its campaign at the carrier. */
export async function leaveCampaign(deps: SmsRegistrationDeps, number: SmsNumber): Promise<void> {
  const port = deps.carriers.byName(number.provider)?.messaging;
  if (!port || number.campaign_verification_id === null) return;
  const messaging_service_reference = number.messaging_service_sid;
  const left = await port.attachCampaign({ ...number, messaging_service_reference }, null);
  if (left.outcome !== 'done') throw new Error(`the number did not leave the campaign: ${left.outcome}`);
  // Without a service it joins the organization's own one at the next check.
  await deps.registrations.setService(number.organization_id, number.id, left.service_reference);
}
