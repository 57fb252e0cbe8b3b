// What the parts of the Twilio stand-in for registrations share: ids, refusals, pages, and the routes of one host.
import { randomBytes } from 'node:crypto';
import type { Reply, SeenRequest } from './stand-in.ts';

export type Json = Record<string, unknown>;
export type TwilioObject = Json & { sid: string };

export const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex');
export const isoNow = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

export const refusal = (code: number, message: string, status = 400): Reply => ({
  status,
  json: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});
export const notFound = (path: string) => refusal(20404, `The requested resource ${path} was not found`, 404);

/** Pages are small, so that nobody gets away with reading only the first one. */
const largest_page = 2;

/** A page of a list, with the token of the next one. */
export function pageOf(request: SeenRequest, key: string, items: readonly unknown[]): Reply {
  const { query, path } = request;
  const page = Number(query.get('Page') ?? 0);
  const size = Math.min(Number(query.get('PageSize') ?? 50), largest_page);
  const addressOf = (number: number) => {
    const next = new URLSearchParams(query);
    next.set('Page', String(number));
    if (number > 0) next.set('PageToken', `PT${number}`);
    return `https://messaging.twilio.com${path}?${next}`;
  };
  if (page > 0 && query.get('PageToken') !== `PT${page}`) return refusal(20001, 'Invalid page token');
  const meta = {
    page,
    page_size: size,
    first_page_url: addressOf(0),
    previous_page_url: page > 0 ? addressOf(page - 1) : null,
    next_page_url: (page + 1) * size < items.length ? addressOf(page + 1) : null,
    key,
    url: addressOf(page),
  };
  return { status: 200, json: { [key]: items.slice(page * size, (page + 1) * size), meta } };
}

export type Route = {
  method: string;
  /** `/v1/Services/:service/PhoneNumbers`. */
  path: string;
  answer(context: { request: SeenRequest; form: URLSearchParams; ids: string[] }): Reply;
};

/** The answer of the first route that fits; null where there is none. */
export function routed(routes: readonly Route[], request: SeenRequest): Reply | null {
  for (const { method, path, answer } of routes) {
    if (method !== request.method) continue;
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '([^/]+)')}$`);
    const found = pattern.exec(request.path);
    if (found) return answer({ request, form: new URLSearchParams(request.body), ids: found.slice(1) });
  }
  return null;
}
