// The shared part of outbound and inbound calls: from the answer to the end, with one RTP stream and one SIP dialog.

import type { MediaSession } from '../../media/media-session.ts';
import type { CryptoLine, SrtpMode } from './crypto-lines.ts';
import { rtcpReports } from './rtp/reports.ts';
import { type RtpSession, type RtpTarget, type RtpWheel, rtpSession } from './rtp/session.ts';
import { type Description, readAnswer, readOffer, writeSdp } from './sdp.ts';
import {
  type AgreedSession,
  agreedSession,
  answerSession,
  minSessionOf,
  type SessionLimits,
  sessionHeaders,
  sessionTimer,
} from './session-timer.ts';
import type {
  IncomingRequest,
  IncomingRequestMessage,
  IncomingResponseMessage,
  Session,
  SessionDelegate,
} from './sipjs/core/index.js';
import {
  type Ending,
  ending_of_their_bye,
  ending_without_refresh,
  endingOfOurs,
  type OurReason,
} from './translate.ts';
import type { UserAgent } from './user-agent.ts';

/** The events of a call, in order. No event follows an end. */
export type CallEvent =
  | { trigger: 'dialed' | 'rang' | 'answered'; detail: string }
  | (Ending & {
      /** The SIP status that ended the call; null when none did. */
      sip_status: number | null;
      /** The other side's own text. */
      detail: string;
    });

export type SipCall = {
  /** The Call-ID. */
  id: string;
  direction: 'outbound' | 'inbound';
  /** Settles with null when the call ends before it is answered. */
  media: Promise<MediaSession | null>;
  /** False when the call has ended already. */
  hangUp(reason: OurReason): boolean;
  isLive(): boolean;
  rtpStats(): ReturnType<RtpSession['stats']> | null;
};

export type CallDeps = {
  agent: UserAgent;
  wheel: RtpWheel;
  /** Our address in session descriptions. */
  media_address: string;
  inactivity_timeout_ms: number;
  session_limits: SessionLimits;
  srtp: SrtpMode;
};

/** How often a refresh is sent with a longer interval because one was too short (422). */
const max_refresh_tries = 3;

export const sdpBody = (content: string) => ({
  contentDisposition: 'session',
  contentType: 'application/sdp',
  content,
});

/** The description that we sent: its text, and our keys in it. */
export type SentDescription = { session_id: number; port: number; text: string; crypto: CryptoLine[] };

export type ConversationOptions = {
  session: Session;
  socket: Parameters<typeof rtpSession>[0]['socket'];
  remote: RtpTarget;
  sdp: SentDescription;
  /** What both sides agreed about session timers when the call was answered. */
  agreed: AgreedSession;
  max_duration_ms: number;
  onEnd(ending: Ending, detail: string): void;
};

type State = {
  deps: CallDeps;
  options: ConversationOptions;
  rtp: RtpSession;
  reports: ReturnType<typeof rtcpReports>;
  is_live: boolean;
  duration_timer: NodeJS.Timeout;
  timer: ReturnType<typeof sessionTimer>;
  sdp_version: number;
  /** Our description as it was sent last; a refresh repeats it. */
  description: string;
  crypto: CryptoLine[];
  /** A callee may not send BYE before the caller's ACK (RFC 3261 section 15). */
  bye_waits_for_ack: boolean;
};

/** The confirmed part of a call: from the answer to the end. */
export function conversation(deps: CallDeps, options: ConversationOptions) {
  const rtp = rtpSession({
    wheel: deps.wheel,
    socket: options.socket,
    target: options.remote,
    inactivity_timeout_ms: deps.inactivity_timeout_ms,
  });
  const state: State = {
    deps,
    options,
    rtp,
    reports: rtcpReports({
      local: options.socket.address(),
      read() {
        const { ssrc, timestamp, reception, negotiated: target } = rtp.source;
        const { packets_sent, packets_lost } = rtp.stats();
        return { ssrc, timestamp, reception, target, packets_sent, packets_lost };
      },
    }),
    is_live: true,
    duration_timer: setTimeout(() => hangUp(state, 'max_duration'), options.max_duration_ms),
    timer: sessionTimer({
      refresh: (seconds) => refresh(state, seconds),
      expire: () => expire(state, 'the other side did not refresh the call in time'),
    }),
    sdp_version: 1,
    description: options.sdp.text,
    crypto: options.sdp.crypto,
    bye_waits_for_ack: false,
  };
  state.timer.start(options.agreed);
  // The stream ends when no packets arrive for too long, or when its owner closes it.
  void rtp.closed.then((how) => hangUp(state, how.by === 'failure' ? 'media_failure' : 'agent_hangup'));
  options.session.delegate = sessionDelegate(state);
  return {
    rtp,
    hangUp: (reason: OurReason): boolean => hangUp(state, reason),
    isLive: () => state.is_live,
  };
}
export type Conversation = ReturnType<typeof conversation>;

function hangUp(state: State, reason: OurReason): boolean {
  if (!state.is_live) return false;
  const { session } = state.options;
  if (session.sessionState === 'AckWait') state.bye_waits_for_ack = true;
  else session.bye();
  const ending = endingOfOurs(reason, { answered: true, trunk_responded: true });
  finish(state, ending, `we hung up: ${reason}`, { by: 'us' });
  return true;
}

function finish(
  state: State,
  ending: Ending,
  detail: string,
  media_end: Parameters<RtpSession['end']>[0],
): void {
  if (!state.is_live) return;
  state.is_live = false;
  clearTimeout(state.duration_timer);
  state.timer.stop();
  state.reports.stop();
  state.rtp.end(media_end);
  state.options.onEnd(ending, detail);
}

/** Tells the other side that the call is still alive, by the same description as before (RFC 4028 section 7.4). */
function refresh(state: State, seconds: number, tries = max_refresh_tries): void {
  if (!state.is_live) return;
  const { session } = state.options;
  const { agent, session_limits } = state.deps;
  const onRefusal = ({ message }: { message: IncomingResponseMessage }) =>
    receiveRefusal(state, seconds, message, tries - 1);
  const extraHeaders = [
    `Contact: ${agent.contact}`,
    agent.allow_header,
    ...sessionHeaders(seconds, session_limits, 'uac'),
  ];
  try {
    if (session.sessionState !== 'Confirmed') throw new Error('the first ACK has not come');
    session.invite(
      {
        onAccept(response) {
          response.ack();
          if (!state.is_live) return;
          const answer = readAnswer(response.message.body ?? '', state.crypto);
          if (answer) state.rtp.retarget(answer);
          state.timer.start(agreedSession(response.message, session_limits));
        },
        onReject: onRefusal,
        onRedirect: onRefusal,
      },
      { extraHeaders, body: sdpBody(state.description) },
    );
  } catch {
    // A re-INVITE of the other side is under way.
    state.timer.retry(seconds);
  }
}

function receiveRefusal(
  state: State,
  seconds: number,
  response: IncomingResponseMessage,
  tries: number,
): void {
  if (!state.is_live) return;
  const status = response.statusCode ?? 0;
  const needed = minSessionOf(response);
  // 408 is also the library's own word for no response at all.
  if (status === 408 || status === 481) expire(state, `the refresh of the call was refused with ${status}`);
  else if (status === 491) state.timer.retry(seconds);
  else if (status === 422 && needed !== null && needed > seconds && tries > 0) refresh(state, needed, tries);
  // The other side lives and did not take the refresh; it decides whether the call ends.
  else state.timer.start({ seconds, refresher: 'us' });
}

function expire(state: State, detail: string): void {
  if (!state.is_live) return;
  state.options.session.bye();
  finish(state, ending_without_refresh, detail, { by: 'failure', detail });
}

/** Handles the other side's requests in the dialog. */
function sessionDelegate(state: State): SessionDelegate {
  const { session } = state.options;
  return {
    onBye(request) {
      request.accept();
      const reason = request.message.getHeader('reason');
      const detail = reason ? `BYE (${reason.slice(0, 200)})` : 'BYE';
      finish(state, ending_of_their_bye, detail, { by: 'them' });
    },
    onAck(request) {
      if (state.bye_waits_for_ack) session.bye();
      const answer = request.message.body && readAnswer(request.message.body, state.crypto);
      if (state.is_live && answer) state.rtp.retarget(answer);
    },
    onAckTimeout() {
      session.bye();
      finish(state, { trigger: 'broke', end_reason: 'setup_error' }, 'our answer was never acknowledged', {
        by: 'failure',
        detail: 'no ACK',
      });
    },
    onInvite: (request) => answerRefresh(state, request),
    onUpdate: (request) => answerRefresh(state, request),
  };
}

/** A re-INVITE or UPDATE: hold, a new address for the stream, or the refresh of a session timer. */
function answerRefresh(state: State, request: IncomingRequest): void {
  const answered = answerDescription(state, request.message);
  if ('refusal' in answered) request.reject(answered.refusal);
  else request.accept(answered.response);
}

function answerDescription(state: State, message: IncomingRequestMessage) {
  // A call stays as it is, encrypted or not: nobody on the way may change that.
  const mode = state.crypto.length > 0 ? 'required' : 'off';
  const read = message.body ? readOffer(message.body, mode, state.crypto) : null;
  if (message.body && !read) return { refusal: { statusCode: 488 } };
  const answer = answerSession(message, state.deps.session_limits);
  if ('refusal' in answer) return answer;
  if (read) state.crypto = read.crypto;
  // A re-INVITE without an offer asks for ours; an UPDATE without one asks for nothing (RFC 3311 section 5.2).
  const has_body = read !== null || message.method === 'INVITE';
  if (has_body) state.description = nextDescription(state, read?.offer ?? null);
  if (read) state.rtp.retarget(read.target);
  // Without a timer in the request, the one that was agreed before is over.
  state.timer.start(answer.session);
  return {
    response: {
      statusCode: 200,
      extraHeaders: [
        `Contact: ${state.deps.agent.contact}`,
        state.deps.agent.allow_header,
        ...answer.headers,
      ],
      ...(has_body ? { body: sdpBody(state.description) } : {}),
    },
  };
}

function nextDescription(state: State, offer: Description | null): string {
  const { sdp } = state.options;
  state.sdp_version++;
  return writeSdp({
    address: state.deps.media_address,
    port: sdp.port,
    session_id: sdp.session_id,
    version: state.sdp_version,
    crypto: state.crypto,
    ...(offer ? { answer_to: offer } : {}),
  });
}
