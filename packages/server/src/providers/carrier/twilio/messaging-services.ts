// Texts of numbers at Twilio: the messaging service that a number is in, and whether it is registered for texts to the US.
import type { CarrierFailure } from '../carrier-failure.ts';
import { listField, textField } from '../carrier-http.ts';
import type { MessagingPort, NumberInService, SmsRegistrationReport, StateResult } from '../registration.ts';
import type { TwilioApi, TwilioHostApi } from './api.ts';
import { campaignState } from './registration/campaign.ts';
import { toll_free_path, tollFreeState } from './registration/toll-free.ts';
import { checked } from './responses.ts';
import { ensureService, isMember, join, leave, organizationService, serviceOfNumber } from './services.ts';

type Report = { outcome: 'known' } & SmsRegistrationReport;
const report = (state: SmsRegistrationReport['state'], reason: string | null = null): Report => ({
  outcome: 'known',
  state,
  reason,
});

export function twilioMessaging(api: TwilioApi): MessagingPort {
  const host = api.host('messaging');
  return {
    async ensureService(organization_id) {
      const service = await ensureService(host, organizationService(organization_id));
      return service.outcome === 'ok' ? { outcome: 'done', service_reference: service.sid } : service;
    },

    /** A number that the operator put into another service in the console stays there. */
    async attach({ provider_number_id }, service_reference) {
      const joined = await join(host, service_reference, provider_number_id);
      if (joined.outcome !== 'elsewhere') return joined;
      const other = await serviceOfNumber(host, provider_number_id);
      if (other.outcome !== 'ok') return other;
      if (other.sid !== null) return { outcome: 'done', service_reference: other.sid };
      return { outcome: 'busy', retry_after_seconds: 60, detail: 'the number is just leaving a service' };
    },

    async attachCampaign(number, campaign) {
      const wanted = typeof campaign?.service_sid === 'string' ? campaign.service_sid : null;
      if (wanted === null) return leaveService(host, number);
      const member = await isMember(host, wanted, number.provider_number_id);
      if (member.outcome !== 'ok') return member;
      if (!member.is_member) {
        const outcome = await moveTo(host, number, wanted);
        if (outcome.outcome !== 'done') return outcome;
      }
      return { outcome: 'done', service_reference: wanted };
    },

    async registration(number, registration) {
      if (number.country_code !== 'US') return report('not_required');
      if (number.number_type === 'toll_free') return tollFreeReport(host, number);
      if (number.number_type !== 'local') return report('not_required');
      const stored = registration?.service_sid ?? number.messaging_service_reference ?? null;
      const messaging_service_reference = typeof stored === 'string' ? stored : null;
      return campaignReport(host, { ...number, messaging_service_reference });
    },
  };
}

/** A number is in one service at most, so it leaves the other one first. */
async function moveTo(
  host: TwilioHostApi,
  number: NumberInService,
  service_sid: string,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const joined = await join(host, service_sid, number.provider_number_id);
  if (joined.outcome !== 'elsewhere') return joined;
  const left = await leaveService(host, number);
  if (left.outcome !== 'done') return left;
  const again = await join(host, service_sid, number.provider_number_id);
  if (again.outcome !== 'elsewhere') return again;
  return { outcome: 'busy', retry_after_seconds: 60, detail: 'the number is still in another service' };
}

async function leaveService(
  host: TwilioHostApi,
  number: NumberInService,
): Promise<{ outcome: 'done'; service_reference: null } | CarrierFailure> {
  const { provider_number_id } = number;
  const service = await currentService(host, number);
  if (service.outcome !== 'ok') return service;
  if (service.sid !== null) {
    const left = await leave(host, service.sid, provider_number_id);
    if (left.outcome !== 'done') return left;
  }
  return { outcome: 'done', service_reference: null };
}

/** The service that is stored with the number is asked first; the look at all others is long. */
async function currentService(host: TwilioHostApi, number: NumberInService) {
  const { provider_number_id, messaging_service_reference: stored } = number;
  if (stored) {
    const member = await isMember(host, stored, provider_number_id);
    if (member.outcome !== 'ok') return member;
    if (member.is_member) return { outcome: 'ok' as const, sid: stored };
  }
  return serviceOfNumber(host, provider_number_id);
}

/** A campaign of our own and one that was made in the console count in the same way. */
async function campaignReport(
  host: TwilioHostApi,
  number: NumberInService,
): Promise<Report | CarrierFailure> {
  const service = await currentService(host, number);
  if (service.outcome !== 'ok') return service;
  if (service.sid === null) return report('missing', 'The number is in no messaging service.');
  const response = await host.get(`/v1/Services/${service.sid}/Compliance/Usa2p`, { PageSize: '50' });
  const answer = checked(response, 200, 404);
  if (answer.outcome !== 'ok') return answer;
  const states = listField(answer.json, 'compliance').map(campaignState);
  return newestReport(states, 'The messaging service of the number has no campaign.');
}

async function tollFreeReport(
  host: TwilioHostApi,
  { provider_number_id }: NumberInService,
): Promise<Report | CarrierFailure> {
  const query = { TollfreePhoneNumberSid: provider_number_id, PageSize: '50' };
  const answer = checked(await host.get(toll_free_path, query), 200);
  if (answer.outcome !== 'ok') return answer;
  const states = listField(answer.json, 'verifications')
    .filter((each) => textField(each, 'tollfree_phone_number_sid') === provider_number_id)
    .map(tollFreeState);
  return newestReport(states, 'The number has no toll-free verification.');
}

/** One approval is enough; an open one may still come. */
function newestReport(states: readonly StateResult[], without: string): Report {
  const known_states = states.filter((each) => each.outcome === 'known');
  if (known_states.some(({ state }) => state === 'approved')) return report('registered');
  if (known_states.some(({ state }) => state === 'in_review' || state === 'submitted'))
    return report('pending');
  const [failed] = known_states;
  if (failed) return report('failed', failed.problems[0]?.message ?? null);
  return states.length > 0 ? report('unknown') : report('missing', without);
}
