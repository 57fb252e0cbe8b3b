// Passes an inbound call that this process cannot take on to a process that can: the callback is sent again, unchanged.
import { request } from 'undici';
import type { Log } from '../../platform/log.ts';
import type { CallbackRequest, CarrierEvent } from './carrier.ts';
import { relayed_header } from './media-relay.ts';

/** A carrier gives up its callback after some seconds. */
const forward_ms = 4000;
/** Headers of the connection, and those that undici sets itself. */
const own_headers = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

type Offered = { provider: string; provider_call_id: string };

export type OfferDeps = {
  /** Keeps a place for the call and returns how to give it back; null when this process has no capacity. */
  tryKeepPlace(): (() => void) | null;
  /** Whether this process runs the call already: the carrier repeats an offer, for example without a response. */
  runsOffered(offer: Offered): Promise<boolean>;
  processesFor(offer: Offered): Promise<string[]>;
  log: Log;
};

export type ForwardedResponse = { content_type: string; body: string };
/** This process decides. `giveBack` ends the place that it keeps for the call until then. */
export type TakenHere = { events: CarrierEvent[]; giveBack(): void };
/** `full`: it was forwarded to this process, which has no capacity. */
export type Forwarded = ForwardedResponse | TakenHere | 'full';

const takenHere = (events: readonly CarrierEvent[], giveBack = () => {}): TakenHere => ({
  events: [...events],
  giveBack,
});

export const forwardOffer =
  (deps: OfferDeps) =>
  async (
    provider: string,
    callback: Pick<CallbackRequest, 'headers' | 'body'> & { path: string },
    events: readonly CarrierEvent[],
  ): Promise<Forwarded> => {
    const offer = events.find((event) => event.kind === 'call_offered');
    if (!offer) return takenHere(events);
    const giveBack = deps.tryKeepPlace();
    if (giveBack)
      return takenHere(
        events.map((event) => (event === offer ? { ...offer, has_place: true } : event)),
        giveBack,
      );
    const offered = { provider, provider_call_id: offer.provider_call_id };
    if (await deps.runsOffered(offered)) return takenHere(events);
    // Never twice: a wrong address must not make a loop.
    if (callback.headers[relayed_header] === '1') return 'full';
    const urls = await deps.processesFor(offered);
    for (const url of urls) {
      const response = await send(url, callback).catch((error) => {
        deps.log.warn({ provider, err: error }, 'inbound call not passed on');
        return null;
      });
      if (response) return response;
    }
    return takenHere(events);
  };

/** Null when that process has no capacity either. */
async function send(
  url: string,
  { path, headers, body }: Pick<CallbackRequest, 'headers' | 'body'> & { path: string },
): Promise<ForwardedResponse | null> {
  const kept = Object.entries(headers).filter(([name]) => !own_headers.has(name));
  const response = await request(new URL(path, url), {
    method: 'POST',
    headers: { ...Object.fromEntries(kept), [relayed_header]: '1' },
    body,
    signal: AbortSignal.timeout(forward_ms),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200) return null;
  return { content_type: String(response.headers['content-type'] ?? 'text/plain'), body: text };
}
