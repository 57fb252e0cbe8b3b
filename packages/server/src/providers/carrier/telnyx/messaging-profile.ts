// The messaging profile of an organization at Telnyx, found by its name.
import type { CarrierFailure } from '../carrier-failure.ts';
import { listField, textField } from '../carrier-http.ts';
import { refused, segment, type TelnyxApi } from './api.ts';

const nameOf = (organization_id: string) => `parley ${organization_id}`;

/** Created once. Texts to its numbers arrive at our callback URL, also after that URL has changed. */
export async function ensureProfile(
  { api, callbackUrl }: { api: TelnyxApi; callbackUrl(): string },
  organization_id: string,
): Promise<{ outcome: 'done'; service_reference: string } | CarrierFailure> {
  const name = nameOf(organization_id);
  const listed = await api.get('/messaging_profiles', [['filter[name][eq]', name]]);
  if (listed.outcome !== 'response') return listed;
  if (listed.status !== 200) return refused(listed.status, listed.json);
  const known = listField(listed.json, 'data').find((each) => textField(each, 'name') === name);
  const id = textField(known, 'id');
  const webhook = { webhook_url: callbackUrl(), webhook_api_version: '2' };
  if (id !== null && textField(known, 'webhook_url') === webhook.webhook_url)
    return { outcome: 'done', service_reference: id };
  const response =
    id === null
      ? await api.post('/messaging_profiles', { name, whitelisted_destinations: ['*'], ...webhook })
      : await api.patch(`/messaging_profiles/${segment(id)}`, webhook);
  if (response.outcome !== 'response') return response;
  if (response.status >= 300) return refused(response.status, response.json);
  const profile_id = textField(response.json, 'data', 'id');
  return profile_id
    ? { outcome: 'done', service_reference: profile_id }
    : { outcome: 'lost', detail: 'a messaging profile without an id' };
}
