// The calls of Twilio's stand-in: placed through its API or made to one of its numbers, then driven by a test.
import { randomBytes } from 'node:crypto';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { type FarStream, openFarStream, type StreamDress } from './media-stream.ts';
import type { Reply } from './stand-in.ts';

export type TwilioCall = {
  sid: string;
  to: string;
  from: string;
  status: string;
  direction: 'outbound-api' | 'inbound';
  form: URLSearchParams;
  /** Tells our status callback; answers with the status of our answer. */
  report(status: string, more?: Record<string, string>): Promise<number>;
  /** In progress: opens the stream that our document asks for. */
  answer(clock: MediaClock, token?: string): Promise<FarStream>;
  /** The document that was answered to a call of ours to be. */
  document: string;
  created_at: Date;
};

const streamIn = (document: string) => {
  const url = /<Stream url="([^"]+)"/.exec(document)?.[1];
  const token = /<Parameter name="token" value="([^"]+)"/.exec(document)?.[1];
  return url && token ? { url, token } : null;
};

export function twilioCalls(deps: {
  account: string;
  statuses: Map<string, string>;
  callback(url: string, form: Record<string, string>): Promise<Response>;
}) {
  const calls: TwilioCall[] = [];
  const waiting: ((call: TwilioCall) => void)[] = [];
  let taken = 0;
  let sequence = 0;

  const dressOf = (call: TwilioCall, token: string): StreamDress => {
    const streamSid = `MZ${randomBytes(16).toString('hex')}`;
    let number = 1;
    const numbered = (event: string, rest: Record<string, unknown>) => ({
      event,
      sequenceNumber: String(number++),
      streamSid,
      ...rest,
    });
    return {
      connected: { event: 'connected', protocol: 'Call', version: '1.0.0' },
      start: numbered('start', {
        start: {
          accountSid: deps.account,
          streamSid,
          callSid: call.sid,
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          customParameters: { token },
        },
      }),
      media: (payload, count, timestamp_ms) =>
        numbered('media', {
          media: { track: 'inbound', chunk: String(count), timestamp: String(timestamp_ms), payload },
        }),
      dtmf: (digit) => numbered('dtmf', { dtmf: { track: 'inbound_track', digit } }),
      mark: (name) => numbered('mark', { mark: { name } }),
      stop: numbered('stop', { stop: { accountSid: deps.account, callSid: call.sid } }),
      complaint: (message) => (message.streamSid === streamSid ? null : 'streamSid is missing'),
    };
  };

  const make = (call: Omit<TwilioCall, 'report' | 'answer' | 'created_at'>): TwilioCall => {
    const whole: TwilioCall = {
      ...call,
      created_at: new Date(),
      async report(status, more = {}) {
        whole.status = status;
        deps.statuses.set(whole.sid, status);
        const url = whole.form.get('StatusCallback');
        if (!url) return 0;
        const response = await deps.callback(url, {
          CallSid: whole.sid,
          AccountSid: deps.account,
          From: whole.from,
          To: whole.to,
          CallStatus: status,
          ApiVersion: '2010-04-01',
          Direction: whole.direction,
          Timestamp: new Date().toUTCString(),
          CallbackSource: 'call-progress-events',
          SequenceNumber: String(sequence++),
          ...more,
        });
        return response.status;
      },
      async answer(clock, token) {
        whole.status = 'in-progress';
        deps.statuses.set(whole.sid, 'in-progress');
        const stream = streamIn(whole.document);
        if (!stream) throw new Error(`no stream in ${whole.document}`);
        const dress = dressOf(whole, token ?? stream.token);
        return openFarStream({ url: stream.url, clock, dress });
      },
    };
    calls.push(whole);
    deps.statuses.set(whole.sid, whole.status);
    waiting.shift()?.(whole);
    return whole;
  };
  const sid = () => `CA${randomBytes(16).toString('hex')}`;
  const shown = ({ sid, to, from, status, direction, created_at }: TwilioCall) => ({
    sid,
    to,
    from,
    status,
    direction,
    date_created: created_at.toUTCString().replace('GMT', '+0000'),
  });

  return {
    calls,
    /** The next call that we place. */
    next(): Promise<TwilioCall> {
      const call = calls[taken++];
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
    /** Somebody calls a number of the account; Twilio asks us what to do. */
    async callIn(voice_url: string, from: string, to: string) {
      const id = sid();
      const form = {
        CallSid: id,
        AccountSid: deps.account,
        From: from,
        To: to,
        CallStatus: 'ringing',
        ApiVersion: '2010-04-01',
        Direction: 'inbound',
      };
      const ask = () => deps.callback(voice_url, form);
      const document = await (await ask()).text();
      const call = make({
        sid: id,
        to,
        from,
        status: 'ringing',
        direction: 'inbound',
        form: new URLSearchParams(),
        document,
      });
      taken++;
      return { ...call, ask };
    },

    place(form: URLSearchParams): Reply {
      const [to, from] = [form.get('To') ?? '', form.get('From') ?? ''];
      if (!streamIn(form.get('Twiml') ?? '')) {
        return { status: 400, json: { code: 12100, message: 'Document parse failure', status: 400 } };
      }
      const call = make({
        sid: sid(),
        to,
        from,
        status: 'queued',
        direction: 'outbound-api',
        form,
        document: form.get('Twiml')!,
      });
      return { status: 201, json: shown(call) };
    },
    list: (query: URLSearchParams): Reply => ({
      status: 200,
      json: {
        calls: calls
          .filter(({ to, from }) => to === query.get('To') && from === query.get('From'))
          .map(shown)
          .reverse(),
        page: 0,
        page_size: 20,
      },
    }),
    change(id: string, form: URLSearchParams): Reply | null {
      const call = calls.find((each) => each.sid === id);
      if (!call) return null;
      call.status = form.get('Status') ?? call.status;
      deps.statuses.set(id, call.status);
      return { status: 200, json: shown(call) };
    },
  };
}
