// Twilio's messaging services: found by name, created once, joined and left by numbers.
import type { CarrierFailure } from '../carrier-failure.ts';
import { field, textField } from '../carrier-http.ts';
import { errorIn, refused, type TwilioHostApi } from './api.ts';
import { checked, createdSid, findInList, listAll } from './responses.ts';

/** Names are unique per organization and campaign, so that a service is found after a lost answer. */
export const organizationService = (organization_id: string) => `parley ${organization_id}`;
export const campaignService = (reference: string) => `parley campaign ${reference}`;

const on_number = { UseInboundWebhookOnNumber: 'true' };

/** Texts to a number in the service still go to the number's own callback URL. */
export async function ensureService(
  host: TwilioHostApi,
  name: string,
): Promise<{ outcome: 'ok'; sid: string } | CarrierFailure> {
  const page_item = await findInList(
    host,
    '/v1/Services',
    'services',
    (each) => textField(each, 'friendly_name') === name,
  );
  if (page_item.outcome !== 'ok') return page_item;
  const sid = textField(page_item.item, 'sid');
  if (!sid) return createdSid(await host.post('/v1/Services', { FriendlyName: name, ...on_number }), 201);
  if (field(page_item.item, 'use_inbound_webhook_on_number') !== false) return { outcome: 'ok', sid };
  return createdSid(await host.post(`/v1/Services/${sid}`, on_number), 200);
}

const memberPath = (service_sid: string, number_sid: string) =>
  `/v1/Services/${encodeURIComponent(service_sid)}/PhoneNumbers/${encodeURIComponent(number_sid)}`;

export async function isMember(
  host: TwilioHostApi,
  service_sid: string,
  number_sid: string,
): Promise<{ outcome: 'ok'; is_member: boolean } | CarrierFailure> {
  const answer = checked(await host.get(memberPath(service_sid, number_sid)), 200, 404);
  return answer.outcome === 'ok' ? { outcome: 'ok', is_member: answer.status === 200 } : answer;
}

/** The service that a number is in; null where it is in none. Twilio does not say it with the number. */
export async function serviceOfNumber(
  host: TwilioHostApi,
  number_sid: string,
): Promise<{ outcome: 'ok'; sid: string | null } | CarrierFailure> {
  const services = await listAll(host, '/v1/Services', 'services');
  if (services.outcome !== 'ok') return services;
  for (const service of services.items) {
    const sid = textField(service, 'sid') ?? '';
    const member = await isMember(host, sid, number_sid);
    if (member.outcome !== 'ok') return member;
    if (member.is_member) return { outcome: 'ok', sid };
  }
  return { outcome: 'ok', sid: null };
}

/** 21710: the number is already in this service. 21712: it is in another one. */
const in_this_service = '21710';
const in_another_service = '21712';

export async function join(
  host: TwilioHostApi,
  service_sid: string,
  number_sid: string,
): Promise<{ outcome: 'done' } | { outcome: 'elsewhere' } | CarrierFailure> {
  const response = await host.post(`/v1/Services/${encodeURIComponent(service_sid)}/PhoneNumbers`, {
    PhoneNumberSid: number_sid,
  });
  if (response.outcome !== 'response') return response;
  const { status, json } = response;
  const { code } = errorIn(json);
  if (status === 201 || status === 200 || code === in_this_service) return { outcome: 'done' };
  return code === in_another_service ? { outcome: 'elsewhere' } : refused(status, json);
}

export async function leave(
  host: TwilioHostApi,
  service_sid: string,
  number_sid: string,
): Promise<{ outcome: 'done' } | CarrierFailure> {
  const left = checked(await host.delete(memberPath(service_sid, number_sid)), 204, 404);
  return left.outcome === 'ok' ? { outcome: 'done' } : left;
}
