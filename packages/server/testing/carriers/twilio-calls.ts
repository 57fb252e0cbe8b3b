// The calls of the Twilio stand-in: outbound through its API or inbound to one of its numbers, driven by a test.
import { randomBytes } from 'node:crypto';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { callQueue } from './call-queue.ts';
import { type CarrierStream, openCarrierStream, type StreamMessages } from './media-stream.ts';
import type { Reply } from './stand-in.ts';

export type TwilioCall = {
  sid: string;
  to: string;
  from: string;
  status: string;
  direction: 'outbound-api' | 'inbound';
  form: URLSearchParams;
  /** Sends a status callback; returns the HTTP status of the response. */
  report(status: string, more?: Record<string, string>): Promise<number>;
  /** Answers the call and opens the stream of our TwiML document. */
  answer(clock: MediaClock, token?: string): Promise<CarrierStream>;
  /** The TwiML document of the call. */
  document: string;
  created_at: Date;
};

const streamIn = (document: string) => {
  const url = /<Stream url="([^"]+)"/.exec(document)?.[1];
  const token = /<Parameter name="token" value="([^"]+)"/.exec(document)?.[1];
  return url && token ? { url, token } : null;
};

type Options = {
  account: string;
  statuses: Map<string, string>;
  callback(url: string, form: Record<string, string>): Promise<Response>;
};
/** `sequence` numbers the status callbacks of the account. */
type Deps = Options & { sequence: { next: number } };

function messagesOf(account: string, call: TwilioCall, token: string): StreamMessages {
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
        accountSid: account,
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
    stop: numbered('stop', { stop: { accountSid: account, callSid: call.sid } }),
    problemIn: (message) => (message.streamSid === streamSid ? null : 'streamSid is missing'),
  };
}

function newCall(deps: Deps, call: Omit<TwilioCall, 'report' | 'answer' | 'created_at'>): TwilioCall {
  const added: TwilioCall = {
    ...call,
    created_at: new Date(),
    async report(status, more = {}) {
      added.status = status;
      deps.statuses.set(added.sid, status);
      const url = added.form.get('StatusCallback');
      if (!url) return 0;
      const response = await deps.callback(url, {
        CallSid: added.sid,
        AccountSid: deps.account,
        From: added.from,
        To: added.to,
        CallStatus: status,
        ApiVersion: '2010-04-01',
        Direction: added.direction,
        Timestamp: new Date().toUTCString(),
        CallbackSource: 'call-progress-events',
        SequenceNumber: String(deps.sequence.next++),
        ...more,
      });
      return response.status;
    },
    async answer(clock, token) {
      added.status = 'in-progress';
      deps.statuses.set(added.sid, 'in-progress');
      const stream = streamIn(added.document);
      if (!stream) throw new Error(`no stream in ${added.document}`);
      const messages = messagesOf(deps.account, added, token ?? stream.token);
      return openCarrierStream({ url: stream.url, clock, messages });
    },
  };
  deps.statuses.set(added.sid, added.status);
  return added;
}
const sid = () => `CA${randomBytes(16).toString('hex')}`;
const shown = ({ sid, to, from, status, direction, created_at }: TwilioCall) => ({
  sid,
  to,
  from,
  status,
  direction,
  date_created: created_at.toUTCString().replace('GMT', '+0000'),
});

export function twilioCalls(options: Options) {
  const deps: Deps = { ...options, sequence: { next: 0 } };
  const queue = callQueue<TwilioCall>();
  const { calls } = queue;
  return {
    calls,
    /** The next outbound call. */
    next: queue.next,
    /** Simulates a call to a number of the account: Twilio requests a TwiML document. */
    async callIn(voice_url: string, from: string, to: string, status_callback = '') {
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
      const requestDocument = () => deps.callback(voice_url, form);
      const document = await (await requestDocument()).text();
      const call = newCall(deps, {
        sid: id,
        to,
        from,
        status: 'ringing',
        direction: 'inbound',
        form: new URLSearchParams({ StatusCallback: status_callback }),
        document,
      });
      queue.addSkipped(call);
      return { ...call, requestDocument };
    },

    place(form: URLSearchParams): Reply {
      const [to, from] = [form.get('To') ?? '', form.get('From') ?? ''];
      if (!streamIn(form.get('Twiml') ?? '')) {
        return { status: 400, json: { code: 12100, message: 'Document parse failure', status: 400 } };
      }
      const call = newCall(deps, {
        sid: sid(),
        to,
        from,
        status: 'queued',
        direction: 'outbound-api',
        form,
        document: form.get('Twiml')!,
      });
      queue.add(call);
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
