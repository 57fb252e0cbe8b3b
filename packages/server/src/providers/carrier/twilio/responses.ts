// Reads responses of Twilio's newer hosts: the expected status or a failure, and lists over all their pages.
import type { CarrierFailure } from '../carrier-failure.ts';
import { type CarrierResponse, field, listField, textField } from '../carrier-http.ts';
import { refused, type TwilioHostApi } from './api.ts';

export type Checked = { outcome: 'ok'; status: number; json: unknown } | CarrierFailure;

/** Any other status is a failure. */
export const checked = (response: CarrierResponse, ...statuses: number[]): Checked => {
  if (response.outcome !== 'response') return response;
  const { status, json } = response;
  return statuses.includes(status) ? { outcome: 'ok', status, json } : refused(status, json);
};

export type Created = { outcome: 'ok'; sid: string } | CarrierFailure;

/** The id of what a request created. Without one it is not known what happened. */
export function createdSid(response: CarrierResponse, ...statuses: number[]): Created {
  const answer = checked(response, ...statuses);
  if (answer.outcome !== 'ok') return answer;
  const sid = textField(answer.json, 'sid');
  return sid ? { outcome: 'ok', sid } : { outcome: 'lost', detail: `status ${answer.status} without a sid` };
}

const page_size = 100;
const max_pages = 100;

/** All items of a list. A list that is not complete is a failure: what it lacks would be created a second time. */
export async function listAll(
  host: TwilioHostApi,
  path: string,
  key: string,
  query: Record<string, string> = {},
): Promise<{ outcome: 'ok'; items: unknown[] } | CarrierFailure> {
  const items: unknown[] = [];
  let page: Record<string, string> = { ...query, PageSize: String(page_size) };
  for (let count = 0; count < max_pages; count++) {
    const answer = checked(await host.get(path, page), 200);
    if (answer.outcome !== 'ok') return answer;
    items.push(...listField(answer.json, key));
    const next = field(answer.json, 'meta', 'next_page_url');
    if (typeof next !== 'string' || !URL.canParse(next)) return { outcome: 'ok', items };
    // Only the parameters are used, so that the request goes to the configured host.
    page = Object.fromEntries(new URL(next).searchParams);
  }
  return { outcome: 'refused', code: 'too_long', detail: `the list ${path} is too long` };
}

/** An object of the list; null where there is none. */
export async function findInList(
  host: TwilioHostApi,
  path: string,
  key: string,
  fits: (item: unknown) => boolean,
  query: Record<string, string> = {},
): Promise<{ outcome: 'ok'; item: unknown | null } | CarrierFailure> {
  const list = await listAll(host, path, key, query);
  return list.outcome === 'ok' ? { outcome: 'ok', item: list.items.find(fits) ?? null } : list;
}

/** Twilio's ids are two letters and 32 hexadecimal digits. */
export const isSid = (prefix: string, text: string): boolean =>
  new RegExp(`^${prefix}[0-9a-fA-F]{32}$`).test(text);
