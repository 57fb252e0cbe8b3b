// The calls of Telnyx's stand-in: placed through its call control or made to one of its numbers, then driven by a test.
import { randomUUID } from 'node:crypto';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { type FarStream, openFarStream, type StreamDress } from './media-stream.ts';
import type { Reply } from './stand-in.ts';

type Json = Record<string, unknown>;

export type TelnyxCall = {
  id: string;
  to: string;
  from: string;
  direction: 'outgoing' | 'incoming';
  /** What was asked of us when it was placed or answered. */
  asked: Json;
  /** Every action that was taken on it. */
  actions: { name: string; body: Json }[];
  digits: string;
  report(event_type: string, more?: Json): Promise<number>;
  /** Opens the stream that was asked for. */
  stream(clock: MediaClock, token?: string): Promise<FarStream>;
  /** Settles when an action of this name was taken. */
  acted(name: string): Promise<Json>;
};

export function telnyxCalls(deps: {
  alive: Map<string, boolean>;
  event(event_type: string, payload: unknown): unknown;
  callback(url: string, event: unknown): Promise<Response>;
}) {
  const calls: TelnyxCall[] = [];
  const waiting: ((call: TelnyxCall) => void)[] = [];
  const watching: { call_id: string; name: string; settle(body: Json): void }[] = [];
  let taken = 0;

  const dressOf = (call: TelnyxCall): StreamDress => {
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
          client_state: call.asked.client_state,
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
      complaint: (message) => ('stream_id' in message ? 'stream_id is not expected' : null),
    };
  };

  const make = (
    call: Pick<TelnyxCall, 'to' | 'from' | 'direction' | 'asked'>,
    callbackUrl: () => string,
  ): TelnyxCall => {
    const whole: TelnyxCall = {
      ...call,
      id: `v3:${randomUUID()}`,
      actions: [],
      digits: '',
      async report(event_type, more = {}) {
        if (event_type === 'call.hangup') deps.alive.set(whole.id, false);
        const payload = {
          call_control_id: whole.id,
          connection_id: '1494404757140276705',
          from: whole.from,
          to: whole.to,
          direction: whole.direction,
          client_state: whole.asked.client_state ?? null,
          ...more,
        };
        return (await deps.callback(callbackUrl(), deps.event(event_type, payload))).status;
      },
      stream(clock, token) {
        const url = new URL(String(whole.asked.stream_url));
        if (token !== undefined) url.searchParams.set('token', token);
        return openFarStream({ url: url.href, clock, dress: dressOf(whole) });
      },
      acted(name) {
        const done = whole.actions.find((action) => action.name === name);
        if (done) return Promise.resolve(done.body);
        return new Promise((settle) => watching.push({ call_id: whole.id, name, settle }));
      },
    };
    deps.alive.set(whole.id, true);
    return whole;
  };

  return {
    calls,
    next(): Promise<TelnyxCall> {
      const call = calls[taken++];
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
    /** Somebody calls a number of the account. */
    async callIn(webhook_url: string, from: string, to: string): Promise<TelnyxCall> {
      const call = make({ to, from, direction: 'incoming', asked: {} }, () => webhook_url);
      calls.push(call);
      taken++;
      await call.report('call.initiated', { state: 'parked' });
      return call;
    },
    place(body: Json): Reply {
      const call = make(
        { to: String(body.to), from: String(body.from), direction: 'outgoing', asked: body },
        () => String(body.webhook_url),
      );
      calls.push(call);
      waiting.shift()?.(call);
      return {
        status: 200,
        json: { data: { call_control_id: call.id, is_alive: true, record_type: 'call' } },
      };
    },
    act(id: string, name: string, body: Json): Reply | null {
      const call = calls.find((each) => each.id === id);
      if (!call) return null;
      if (deps.alive.get(id) === false) {
        return { status: 422, json: { errors: [{ code: '90018', title: 'Call has already ended' }] } };
      }
      call.actions.push({ name, body });
      if (name === 'answer') Object.assign(call.asked, body);
      if (name === 'send_dtmf') call.digits += String(body.digits);
      if (name === 'hangup' || name === 'reject') deps.alive.set(id, false);
      for (const watcher of watching) {
        if (watcher.call_id === id && watcher.name === name) watcher.settle(body);
      }
      return { status: 200, json: { data: { result: 'ok' } } };
    },
  };
}
