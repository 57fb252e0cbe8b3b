// Registers this process at the provider's registrar (RFC 3261 section 10): again before it expires, with growing pauses after
// failures, and takes the registration back at the end.
import { randomUUID } from 'node:crypto';
import type { IncomingResponseMessage } from './sipjs/core/index.js';
import type { UserAgent } from './user-agent.ts';

export type RegistrationState = {
  state: 'waiting' | 'registered' | 'refused' | 'unreachable';
  detail: string;
};

export type RegistrationOptions = {
  agent: UserAgent;
  user: string;
  /** What we ask for; the registrar decides. */
  expires_s: number;
  /** The first pause after a failure; it doubles up to `max_retry_ms`. */
  first_retry_ms: number;
  onChange(state: RegistrationState): void;
};

const max_retry_ms = 300_000;
const max_expires_s = 7 * 86_400;
/** A registrar that grants a second must not get a flood of requests. */
const min_refresh_ms = 1000;

type Registration = {
  options: RegistrationOptions;
  /** One Call-ID for all requests of this process, with rising numbers (section 10.2.4). */
  call_id: string;
  cseq: number;
  current: RegistrationState;
  registered_until: number;
  failures: number;
  timer: NodeJS.Timeout | null;
  stopped: boolean;
};

export function registration(options: RegistrationOptions) {
  const own: Registration = {
    options,
    call_id: randomUUID(),
    cseq: 0,
    current: { state: 'waiting', detail: 'not registered yet' },
    registered_until: 0,
    failures: 0,
    timer: null,
    stopped: false,
  };
  return {
    start: () => send(own, options.expires_s),
    /** `registered` only as long as the registrar promised. */
    current(): RegistrationState {
      const is_over = own.current.state === 'registered' && performance.now() >= own.registered_until;
      return is_over ? { state: 'unreachable', detail: 'the registration has expired' } : own.current;
    },
    stop(): void {
      own.stopped = true;
      if (own.timer) clearTimeout(own.timer);
      if (performance.now() < own.registered_until) send(own, 0);
    },
  };
}

function send(own: Registration, expires_s: number): void {
  const { agent, user } = own.options;
  // A login repeats the request with the next number, so numbers go up by more than one.
  own.cseq += 10;
  const message = agent.registerRequest(user, expires_s, { callId: own.call_id, cseq: own.cseq });
  const onFailure = ({ message: response }: { message: IncomingResponseMessage }) => {
    if (!own.stopped) receiveFailure(own, expires_s, response);
  };
  agent.core.request(message, {
    onAccept({ message: response }) {
      if (!own.stopped) receiveSuccess(own, expires_s, response);
    },
    onReject: onFailure,
    onRedirect: onFailure,
  });
}

function change(own: Registration, next: RegistrationState): void {
  const has_changed = next.state !== own.current.state;
  own.current = next;
  if (has_changed) own.options.onChange(next);
}

function sendLater(own: Registration, ms: number, expires_s = own.options.expires_s): void {
  own.timer = setTimeout(() => send(own, expires_s), ms);
  own.timer.unref();
}

function receiveSuccess(own: Registration, asked_s: number, response: IncomingResponseMessage): void {
  const granted_s = grantedSeconds(response, own.options.agent.contact, asked_s);
  if (granted_s === 0) {
    fail(own, { state: 'refused', detail: 'the registrar granted no time' }, null);
    return;
  }
  own.failures = 0;
  own.registered_until = performance.now() + granted_s * 1000;
  change(own, { state: 'registered', detail: `for ${granted_s} seconds` });
  // Half of the time is left for other attempts when this one fails.
  sendLater(own, Math.max(min_refresh_ms, granted_s * 500), asked_s);
}

/** The time of our own address, among those of the other processes of the same user. */
function grantedSeconds(response: IncomingResponseMessage, contact: string, asked_s: number): number {
  const address = contact.replace(/^<|>$/g, '').toLowerCase();
  const own_contact = response.getHeaders('contact').find((value) => value.toLowerCase().includes(address));
  const parameter = /;\s*expires\s*=\s*"?(\d{1,10})/i.exec(own_contact ?? '')?.[1];
  const header = /^\d{1,10}/.exec(response.getHeader('expires') ?? '')?.[0];
  return Math.min(Number(parameter ?? header ?? asked_s), max_expires_s);
}

function receiveFailure(own: Registration, asked_s: number, response: IncomingResponseMessage): void {
  const status = response.statusCode ?? 0;
  // 423: the registrar takes no registration as short as ours (section 10.2.8).
  const needed_s = Number(/^\d{1,7}/.exec(response.getHeader('min-expires') ?? '')?.[0] ?? 0);
  if (
    status === 423 &&
    needed_s > asked_s &&
    needed_s <= max_expires_s &&
    asked_s === own.options.expires_s
  ) {
    send(own, needed_s);
    return;
  }
  const after_s = /^\d{1,4}/.exec(response.getHeader('retry-after') ?? '')?.[0];
  const detail = `${status} ${(response.reasonPhrase ?? '').slice(0, 100)}`.trim();
  // SIP.js creates a response itself after a timeout or a broken connection. Such a response has no text.
  const state = response.data === undefined || status >= 500 ? 'unreachable' : 'refused';
  fail(own, { state, detail }, after_s === undefined ? null : Number(after_s) * 1000);
}

function fail(own: Registration, next: RegistrationState, retry_after_ms: number | null): void {
  // An earlier registration may still be valid; calls come in as long as it is.
  if (performance.now() >= own.registered_until) change(own, next);
  const pause_ms = Math.min(own.options.first_retry_ms * 2 ** Math.min(own.failures++, 20), max_retry_ms);
  // Random, so that processes which failed at the same moment do not come back together.
  sendLater(own, Math.max(retry_after_ms ?? 0, pause_ms * (0.5 + Math.random() / 2)));
}
