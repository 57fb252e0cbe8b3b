// Session timers (RFC 4028): agrees on an interval and on who refreshes, refreshes in time, and ends a call that nobody refreshes.
import { randomInt } from 'node:crypto';

export type SessionLimits = {
  /** What we ask for in our calls. */
  expires_s: number;
  /** The shortest that we accept; the standard allows no less than 90. */
  min_s: number;
};

/** Null: the call has no timer. */
export type AgreedSession = { seconds: number; refresher: 'us' | 'them' } | null;

type Headers = { getHeader(name: string): string | undefined; getHeaders(name: string): string[] };

/** Longer sessions are refreshed as often as this one; timers of the process are not much longer. */
const max_seconds = 7 * 86_400;

const readSeconds = (text: string | undefined): number | null => {
  const digits = /^\s*(\d{1,10})\s*(?:;|$)/.exec(text ?? '')?.[1];
  return digits === undefined ? null : Math.min(Number(digits), max_seconds);
};

/** Some headers have a short form (RFC 4028 section 4, RFC 3261 section 7.3.3). */
function readSessionExpires(message: Headers) {
  const text = message.getHeader('session-expires') ?? message.getHeader('x');
  const seconds = readSeconds(text);
  if (seconds === null) return null;
  const refresher = /;\s*refresher\s*=\s*"?(uac|uas)\b/i.exec(text!)?.[1]?.toLowerCase() ?? null;
  return { seconds, refresher };
}

const hasTimers = (message: Headers): boolean =>
  ['supported', 'k', 'require']
    .flatMap((name) => message.getHeaders(name))
    .some((value) => value.split(',').some((tag) => tag.trim().toLowerCase() === 'timer'));

export const minSessionOf = (response: Headers): number | null => readSeconds(response.getHeader('min-se'));

/** What we ask for, in an INVITE of ours. */
export const sessionHeaders = (seconds: number, { min_s }: SessionLimits, refresher?: 'uac'): string[] => [
  `Session-Expires: ${seconds}${refresher ? `;refresher=${refresher}` : ''}`,
  `Min-SE: ${Math.min(min_s, seconds)}`,
];

/** What we answer to an INVITE: the headers of the 200, or a refusal of an interval that is too short. */
export function answerSession(
  request: Headers,
  { min_s }: SessionLimits,
): { session: AgreedSession; headers: string[] } | { refusal: { statusCode: 422; extraHeaders: string[] } } {
  const session_expires = readSessionExpires(request);
  if (!session_expires) return { session: null, headers: [] };
  if (session_expires.seconds < min_s)
    return { refusal: { statusCode: 422, extraHeaders: [`Min-SE: ${min_s}`] } };
  // A proxy may have added the timer for a caller that has none: then only we can refresh.
  const refresher = hasTimers(request) ? (session_expires.refresher ?? 'uac') : 'uas';
  const { seconds } = session_expires;
  return {
    session: { seconds, refresher: refresher === 'uas' ? 'us' : 'them' },
    headers: [
      `Session-Expires: ${seconds};refresher=${refresher}`,
      ...(refresher === 'uac' ? ['Require: timer'] : []),
    ],
  };
}

/** What the other side agreed to, in its 200 to an INVITE of ours. */
export function agreedSession(response: Headers, { min_s }: SessionLimits): AgreedSession {
  const answered = readSessionExpires(response);
  if (!answered) return null;
  const refresher = answered.refresher === 'uas' ? 'them' : 'us';
  return { seconds: Math.max(answered.seconds, min_s), refresher };
}

/** The timer of one call. `refresh` is called in time when we refresh; `expire` when the other side did not. */
export function sessionTimer(on: { refresh(seconds: number): void; expire(): void }) {
  let timer: NodeJS.Timeout | null = null;
  const stop = () => {
    if (timer) clearTimeout(timer);
    timer = null;
  };
  const after = (ms: number, act: () => void) => {
    stop();
    timer = setTimeout(act, ms);
  };
  return {
    stop,
    /** Starts from now on: after an answer, and after every refresh. */
    start(session: AgreedSession): void {
      stop();
      if (!session) return;
      const { seconds, refresher } = session;
      if (refresher === 'us') after(seconds * 500, () => on.refresh(seconds));
      // A little earlier than the end, so that the other side still gets our BYE (section 10).
      else after((seconds - Math.min(32, seconds / 3)) * 1000, on.expire);
    },
    /** The refresh met one of the other side: both try again, after different times (RFC 3261 section 14.1). */
    retry: (seconds: number) => after(randomInt(2100, 4000), () => on.refresh(seconds)),
  };
}
