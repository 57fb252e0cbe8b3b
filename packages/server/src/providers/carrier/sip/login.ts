// Our login at the trunk: answers 401 and 407 for every request.
import {
  answerChallenge,
  type Challenge,
  type ChallengeHeader,
  type DigestRequest,
  readChallenges,
  realmKey,
} from './digest.ts';
import type { IncomingResponseMessage, OutgoingRequestMessage } from './sipjs/core/index.js';

export type Credentials = { user: string; password: string };

const header_line = /^(www-authenticate|proxy-authenticate)[ \t]*:[ \t]*(.*)$/i;

/**
 * Takes the challenges out of a response. SIP.js keeps only the last one, and drops the whole response when its grammar does
 * not know the form of one.
 */
export function takeChallenges(text: string): { text: string; challenges: Challenge[] } {
  if (!/^SIP\/2\.0 40[17] /i.test(text)) return { text, challenges: [] };
  const end = text.indexOf('\r\n\r\n');
  // A line that begins with a space continues the one before it.
  const head = (end === -1 ? text : text.slice(0, end)).replace(/\r\n[ \t]+/g, ' ');
  const headers: { name: ChallengeHeader; value: string }[] = [];
  const others = head.split('\r\n').filter((line) => {
    const [, name, value] = header_line.exec(line) ?? [];
    if (name === undefined) return true;
    headers.push({ name: name.toLowerCase() as ChallengeHeader, value: value ?? '' });
    return false;
  });
  return {
    text: others.join('\r\n') + (end === -1 ? '' : text.slice(end)),
    challenges: readChallenges(headers),
  };
}

/** A proxy on every hop may ask once, and each may say once that its nonce has become stale. */
const max_attempts = 6;
const max_nonces = 1000;

/** What one request has answered so far, by realm. */
type Attempts = { count: number; answered: Map<string, Challenge> };

export type Login = ReturnType<typeof login>;

/** `credentials` null: no challenge is answered. */
export function login(credentials: Credentials | null) {
  const challenges_of = new WeakMap<IncomingResponseMessage, Challenge[]>();
  const attempts_of = new WeakMap<OutgoingRequestMessage, Attempts>();
  /** How often each nonce was used, across all requests: a server may refuse a count that it has seen. */
  const uses = new Map<string, number>();

  function countUse({ nonce }: Challenge): number {
    const count = (uses.get(nonce) ?? 0) + 1;
    if (!uses.has(nonce) && uses.size >= max_nonces) uses.delete(uses.keys().next().value!);
    uses.set(nonce, count);
    return count;
  }

  function setHeaders(request: OutgoingRequestMessage, answered: Iterable<Challenge>): void {
    const target = digestRequest(request);
    const values: Record<ChallengeHeader, string[]> = { 'www-authenticate': [], 'proxy-authenticate': [] };
    for (const challenge of answered) {
      values[challenge.header].push(answerChallenge(challenge, credentials!, target, countUse(challenge)));
    }
    if (values['www-authenticate'].length > 0) request.setHeader('authorization', values['www-authenticate']);
    if (values['proxy-authenticate'].length > 0) {
      request.setHeader('proxy-authorization', values['proxy-authenticate']);
    }
  }

  return {
    setChallenges: (response: IncomingResponseMessage, challenges: Challenge[]) =>
      void challenges_of.set(response, challenges),
    /** From now on no challenge of this request is answered: the person must not hear a phone ring after all. */
    giveUp: (request: OutgoingRequestMessage) =>
      void attempts_of.set(request, { count: max_attempts, answered: new Map() }),
    /** True when the request now has new credentials and is to be sent again. */
    answer(request: OutgoingRequestMessage, response: IncomingResponseMessage): boolean {
      const attempts = attempts_of.get(request) ?? { count: 0, answered: new Map<string, Challenge>() };
      if (!credentials || attempts.count >= max_attempts) return false;
      const fresh = (challenges_of.get(response) ?? []).filter((challenge) => {
        const earlier = attempts.answered.get(realmKey(challenge));
        // Asked again without `stale`: the login is wrong, and would be as wrong the next time.
        return !earlier || (challenge.stale && challenge.nonce !== earlier.nonce);
      });
      if (fresh.length === 0) return false;
      attempts.count++;
      for (const challenge of fresh) attempts.answered.set(realmKey(challenge), challenge);
      attempts_of.set(request, attempts);
      setHeaders(request, attempts.answered.values());
      return true;
    },
  };
}

const digestRequest = (request: OutgoingRequestMessage): DigestRequest => ({
  method: request.method,
  uri: request.ruri.toRaw(),
  body: typeof request.body === 'string' ? request.body : (request.body?.body ?? ''),
});

/** The ACK of an answered call has the credentials of its INVITE (RFC 3261 section 22.1). */
export const credentialHeaders = (request: OutgoingRequestMessage): string[] =>
  ['Authorization', 'Proxy-Authorization'].flatMap((name) =>
    request.getHeaders(name).map((value) => `${name}: ${value}`),
  );
