// The calls of the Telnyx stand-in: outbound through call control or inbound to one of its numbers, driven by a test.
import { randomUUID } from 'node:crypto';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { callQueue } from './call-queue.ts';
import { type CarrierStream, openCarrierStream, type StreamMessages } from './media-stream.ts';
import type { Reply } from './stand-in.ts';

type Json = Record<string, unknown>;

export type TelnyxCall = {
  id: string;
  to: string;
  from: string;
  direction: 'outgoing' | 'incoming';
  /** The body of the request that placed or answered it. */
  request: Json;
  /** All actions on the call, in order. */
  actions: { name: string; body: Json }[];
  digits: string;
  report(event_type: string, more?: Json): Promise<number>;
  /** Opens the requested media stream. */
  stream(clock: MediaClock, token?: string): Promise<CarrierStream>;
  /** Settles when an action with this name was requested. */
  acted(name: string): Promise<Json>;
};

type Options = {
  alive: Map<string, boolean>;
  event(event_type: string, payload: unknown): unknown;
  callback(url: string, event: unknown): Promise<Response>;
};
/** `watching`: tests that wait for an action on a call. */
type Deps = Options & { watching: { call_id: string; name: string; settle(body: Json): void }[] };

function messagesOf(call: TelnyxCall): StreamMessages {
  const stream_id = randomUUID();
  let number = 1;
  const numbered = (event: string, rest: Json) => ({
    event,
    sequence_number: String(number++),
    stream_id,
    ...rest,
  });
  return {
    connected: { event: 'connected', version: '1.0.0' },
    start: numbered('start', {
      start: {
        call_control_id: call.id,
        call_session_id: randomUUID(),
        from: call.from,
        to: call.to,
        client_state: call.request.client_state,
        media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
      },
    }),
    media: (payload, count, timestamp_ms) =>
      numbered('media', {
        media: { track: 'inbound', chunk: String(count), timestamp: String(timestamp_ms), payload },
      }),
    dtmf: (digit) => numbered('dtmf', { dtmf: { digit } }),
    mark: (name) => numbered('mark', { mark: { name } }),
    stop: numbered('stop', { stop: { call_control_id: call.id } }),
    problemIn: (message) => ('stream_id' in message ? 'stream_id is not expected' : null),
  };
}

function newCall(
  deps: Deps,
  call: Pick<TelnyxCall, 'to' | 'from' | 'direction' | 'request'>,
  callbackUrl: () => string,
): TelnyxCall {
  const added: TelnyxCall = {
    ...call,
    id: `v3:${randomUUID()}`,
    actions: [],
    digits: '',
    async report(event_type, more = {}) {
      if (event_type === 'call.hangup') deps.alive.set(added.id, false);
      const payload = {
        call_control_id: added.id,
        connection_id: '1494404757140276705',
        from: added.from,
        to: added.to,
        direction: added.direction,
        client_state: added.request.client_state ?? null,
        ...more,
      };
      return (await deps.callback(callbackUrl(), deps.event(event_type, payload))).status;
    },
    stream(clock, token) {
      const url = new URL(String(added.request.stream_url));
      if (token !== undefined) url.searchParams.set('token', token);
      return openCarrierStream({ url: url.href, clock, messages: messagesOf(added) });
    },
    acted(name) {
      const done = added.actions.find((action) => action.name === name);
      if (done) return Promise.resolve(done.body);
      return new Promise((settle) => deps.watching.push({ call_id: added.id, name, settle }));
    },
  };
  deps.alive.set(added.id, true);
  return added;
}

/** A call as Telnyx's API returns it. */
export const callRecord = (id: string, is_alive: boolean) => ({
  call_control_id: id,
  call_leg_id: `leg of ${id}`,
  call_session_id: `session of ${id}`,
  is_alive,
  record_type: 'call',
});

export function telnyxCalls(options: Options) {
  const deps: Deps = { ...options, watching: [] };
  const queue = callQueue<TelnyxCall>();
  const { calls } = queue;
  return {
    calls,
    next: queue.next,
    /** Simulates a call to a number of the account. */
    async callIn(webhook_url: string, from: string, to: string): Promise<TelnyxCall> {
      const call = newCall(deps, { to, from, direction: 'incoming', request: {} }, () => webhook_url);
      queue.addSkipped(call);
      await call.report('call.initiated', { state: 'parked' });
      return call;
    },
    place(body: Json): Reply {
      const call = newCall(
        deps,
        { to: String(body.to), from: String(body.from), direction: 'outgoing', request: body },
        () => String(body.webhook_url),
      );
      queue.add(call);
      return {
        status: 200,
        json: { data: callRecord(call.id, true) },
      };
    },
    act(id: string, name: string, body: Json): Reply | null {
      const call = calls.find((each) => each.id === id);
      if (!call) return null;
      if (deps.alive.get(id) === false) {
        return { status: 422, json: { errors: [{ code: '90018', title: 'Call has already ended' }] } };
      }
      call.actions.push({ name, body });
      if (name === 'answer') Object.assign(call.request, body);
      if (name === 'send_dtmf') call.digits += String(body.digits);
      if (name === 'hangup' || name === 'reject') deps.alive.set(id, false);
      for (const watcher of deps.watching) {
        if (watcher.call_id === id && watcher.name === name) watcher.settle(body);
      }
      return { status: 200, json: { data: { result: 'ok' } } };
    },
  };
}
