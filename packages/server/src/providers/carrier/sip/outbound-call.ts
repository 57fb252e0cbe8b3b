// Places one call: INVITE, ringing, answer or refusal, and cancellation, also when it crosses the answer.
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:dgram';
import type { MediaSession } from '../../media/media-session.ts';
import {
  type CallDeps,
  type CallEvent,
  type Conversation,
  conversation,
  type SentDescription,
  type SipCall,
} from './call.ts';
import { type CryptoLine, offeredCryptoLines } from './crypto-lines.ts';
import { credentialHeaders } from './login.ts';
import { extensionDetail, requiredTags } from './requirements.ts';
import { readAnswer, writeSdp } from './sdp.ts';
import { agreedSession, minSessionOf, sessionHeaders } from './session-timer.ts';
import type {
  AckableIncomingResponseWithSession,
  OutgoingInviteRequest,
  PrackableIncomingResponseWithSession,
} from './sipjs/core/index.js';
import {
  type Ending,
  ending_of_silence,
  endingOfOurs,
  endingOfSipStatus,
  type OurReason,
} from './translate.ts';

export type DialOrder = {
  to: string;
  from: string;
  ring_timeout_ms: number;
  max_duration_ms: number;
};

/** A canceled call that is not confirmed after this time counts as ended. */
const cancel_timeout_ms = 5000;
/** How many INVITEs one call may need, because several servers on the way each ask for a longer session timer. */
const max_invites = 4;

type OutboundCall = {
  deps: CallDeps;
  order: DialOrder;
  socket: Socket;
  sdp: SentDescription;
  emit: (event: CallEvent) => void;
  media: PromiseWithResolvers<MediaSession | null>;
  /** dialing → ringing → talking → ended; every phase may change to `ended`, and `dialing` to `talking`. */
  phase: 'dialing' | 'ringing' | 'talking' | 'ended';
  /** Why we end the call before it is answered; null while we do not. */
  our_reason: OurReason | null;
  /** The trunk has sent a response, so it is reachable. */
  trunk_responded: boolean;
  cancel_sent: boolean;
  /** Set when the call is answered; kept after its end for the statistics. */
  talk: Conversation | null;
  ring_timer: NodeJS.Timeout;
  cancel_timer: NodeJS.Timeout | null;
  /** Set right after the INVITE was sent. */
  request: OutgoingInviteRequest | null;
};

export type PlacedCall = SipCall & {
  provisional(status: number): void;
  /** We gave it up before the first response of the trunk, so it was not canceled there yet. */
  awaitsResponse(): boolean;
};

export function outboundCall(
  deps: CallDeps,
  order: DialOrder,
  socket: Socket,
  emit: (event: CallEvent) => void,
): PlacedCall {
  const call: OutboundCall = {
    deps,
    order,
    socket,
    sdp: firstDescription(deps, socket, deps.srtp === 'off' ? [] : offeredCryptoLines()),
    emit,
    media: Promise.withResolvers(),
    phase: 'dialing',
    our_reason: null,
    trunk_responded: false,
    cancel_sent: false,
    talk: null,
    ring_timer: setTimeout(() => hangUp(call, 'ring_timeout'), order.ring_timeout_ms),
    cancel_timer: null,
    request: null,
  };
  emit({ trigger: 'dialed', detail: 'INVITE' });
  sendInvite(call, deps.session_limits.expires_s);
  return {
    id: call.request!.message.callId,
    direction: 'outbound',
    media: call.media.promise,
    hangUp: (reason) => hangUp(call, reason),
    isLive: () => call.phase !== 'ended',
    rtpStats: () => call.talk?.rtp.stats() ?? null,
    provisional: (status) => receiveProvisional(call, status),
    awaitsResponse: () => call.our_reason !== null && !call.trunk_responded,
  };
}

function firstDescription(
  { media_address: address }: CallDeps,
  socket: Socket,
  crypto: CryptoLine[],
): SentDescription {
  const sdp = { session_id: randomInt(2 ** 31), port: socket.address().port, crypto };
  return { ...sdp, text: writeSdp({ address, ...sdp, version: 1 }) };
}

/** What servers answer to an offer whose encryption they do not have. */
const no_such_media = [415, 488, 606];

/** Where encryption is optional, a refused encrypted offer is followed by a plain one; false when it is not. */
function offerPlainly(call: OutboundCall, status: number, session_seconds: number): boolean {
  const { deps, sdp, socket } = call;
  if (deps.srtp !== 'optional' || sdp.crypto.length === 0 || !no_such_media.includes(status)) return false;
  call.sdp = firstDescription(deps, socket, []);
  sendInvite(call, session_seconds);
  return true;
}

/** Again in the same call, when a server on the way needs a longer session timer (RFC 4028 section 7.3). */
function sendInvite(call: OutboundCall, session_seconds: number, tries = max_invites): void {
  const { agent, session_limits } = call.deps;
  const { to, from } = call.order;
  const earlier = call.request?.message;
  const message = agent.request('INVITE', to, from, {
    headers: [
      `P-Asserted-Identity: <sip:${from}@${agent.from_domain}>`,
      ...sessionHeaders(session_seconds, session_limits),
    ],
    sdp: call.sdp.text,
    ...(earlier
      ? { call: { callId: earlier.callId, fromTag: earlier.fromTag, cseq: earlier.cseq + 1 } }
      : {}),
  });
  const onRefusal = ({ message: refusal }: { message: FinalResponse }) => {
    const needed = refusal.statusCode === 422 ? minSessionOf(refusal) : null;
    const is_wanted = call.our_reason === null && call.phase !== 'ended';
    if (is_wanted && offerPlainly(call, refusal.statusCode ?? 0, session_seconds)) return;
    const may_retry = tries > 1 && is_wanted;
    if (may_retry && needed !== null && needed > session_seconds) sendInvite(call, needed, tries - 1);
    else receiveRefusal(call, refusal);
  };
  call.request = agent.core.invite(message, {
    onProgress: acknowledgeProvisional,
    onAccept: (response) => receiveAnswer(call, response),
    onReject: onRefusal,
    onRedirect: onRefusal,
  });
}

/** We do not offer reliable provisional responses (RFC 3262); who sends one all the same repeats it until it is acknowledged. */
function acknowledgeProvisional({ message, prack }: PrackableIncomingResponseWithSession): void {
  const is_reliable = requiredTags(message.getHeaders('require')).some(
    (tag) => tag.toLowerCase() === '100rel',
  );
  const number = /^\s*(\d{1,10})\s*$/.exec(message.getHeader('rseq') ?? '')?.[1];
  if (is_reliable && number) prack({ extraHeaders: [`RAck: ${number} ${message.cseq} INVITE`] });
}

type FinalResponse = Parameters<typeof summary>[0] & Parameters<typeof minSessionOf>[0] & { data: string };

const summary = (response: { statusCode?: number | undefined; reasonPhrase?: string | undefined }) =>
  `${response.statusCode} ${(response.reasonPhrase ?? '').slice(0, 200)}`.trim();

function receiveProvisional(call: OutboundCall, status: number): void {
  call.trunk_responded = true;
  if (call.our_reason !== null) {
    sendCancel(call);
  } else if (status >= 180 && call.phase === 'dialing') {
    call.phase = 'ringing';
    call.emit({ trigger: 'rang', detail: String(status) });
  }
}

function receiveAnswer(call: OutboundCall, response: AckableIncomingResponseWithSession): void {
  call.trunk_responded = true;
  response.ack({ extraHeaders: credentialHeaders(call.request!.message) });
  const { session } = response;
  // A second answer (a fork), or an answer that crossed our CANCEL: acknowledge it and end it immediately.
  if (call.phase === 'talking' || call.phase === 'ended' || call.our_reason !== null) {
    session.bye();
    if (call.our_reason !== null) finishAsOurs(call, call.our_reason, 200, 'answered while we canceled');
    return;
  }
  const remote = readAnswer(session.answer?.content ?? '', call.sdp.crypto);
  if (!remote) {
    session.bye();
    const ending = { trigger: 'broke', end_reason: 'media_failure' } as const;
    finish(call, ending, 200, 'answered without a supported stream');
    return;
  }
  clearTimeout(call.ring_timer);
  call.phase = 'talking';
  call.talk = conversation(call.deps, {
    session,
    socket: call.socket,
    remote,
    sdp: call.sdp,
    agreed: agreedSession(response.message, call.deps.session_limits),
    max_duration_ms: call.order.max_duration_ms,
    onEnd: (ending, detail) => finish(call, ending, null, detail),
  });
  call.media.resolve(call.talk.rtp);
  call.emit({ trigger: 'answered', detail: summary(response.message) });
}

function receiveRefusal(call: OutboundCall, response: FinalResponse): void {
  // SIP.js creates a response itself after a timeout or a broken connection. Such a response has no text.
  const is_from_trunk = response.data !== undefined;
  const status = response.statusCode ?? 0;
  const detail = summary(response) + extensionDetail(response);
  call.trunk_responded ||= is_from_trunk;
  if (call.our_reason !== null) finishAsOurs(call, call.our_reason, is_from_trunk ? status : null, detail);
  else if (is_from_trunk) finish(call, endingOfSipStatus(status), status, detail);
  else finish(call, ending_of_silence, null, `no response from the trunk (${detail})`);
}

function hangUp(call: OutboundCall, reason: OurReason): boolean {
  if (call.phase === 'ended') return false;
  if (call.talk) return call.talk.hangUp(reason);
  if (call.our_reason !== null) return true;
  call.our_reason = reason;
  call.deps.agent.giveUp(call.request!.message);
  // Before the first response a CANCEL is not allowed (RFC 3261 section 9.1). It is sent when a response comes.
  if (!call.trunk_responded) {
    finishAsOurs(call, reason, null, `${reason} before the first response of the trunk`);
    return true;
  }
  sendCancel(call);
  call.cancel_timer = setTimeout(
    () => finishAsOurs(call, reason, null, 'the cancellation was never confirmed'),
    cancel_timeout_ms,
  );
  return true;
}

/** May happen after the call ended, when the first response comes late: the phone must not go on ringing. */
function sendCancel(call: OutboundCall): void {
  if (call.cancel_sent) return;
  call.cancel_sent = true;
  call.request!.cancel();
}

const finishAsOurs = (call: OutboundCall, reason: OurReason, sip_status: number | null, detail: string) => {
  const { trunk_responded } = call;
  finish(call, endingOfOurs(reason, { answered: false, trunk_responded }), sip_status, detail);
};

function finish(call: OutboundCall, ending: Ending, sip_status: number | null, detail: string): void {
  if (call.phase === 'ended') return;
  call.phase = 'ended';
  clearTimeout(call.ring_timer);
  if (call.cancel_timer) clearTimeout(call.cancel_timer);
  // A conversation closes the socket itself.
  if (!call.talk) call.socket.close();
  call.media.resolve(null);
  call.emit({ ...ending, sip_status, detail });
}
