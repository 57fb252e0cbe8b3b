// The shared part of outbound and inbound calls: from the answer to the end, with one RTP stream and one SIP dialog.
import type { Session, SessionDelegate } from 'sip.js/lib/core/index.js';
import type { MediaSession } from '../../media/media-session.ts';
import { type RtpSession, type RtpWheel, rtpSession } from './rtp/session.ts';
import { type Description, readSdp, writeSdp } from './sdp.ts';
import { type Ending, ending_of_their_bye, endingOfOurs, type OurReason } from './translate.ts';
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
};

export const sdpBody = (content: string) => ({
  contentDisposition: 'session',
  contentType: 'application/sdp',
  content,
});

export type ConversationOptions = {
  session: Session;
  socket: Parameters<typeof rtpSession>[0]['socket'];
  remote: Description;
  sdp: { session_id: number; port: number };
  max_duration_ms: number;
  onEnd(ending: Ending, detail: string): void;
};

type State = {
  deps: CallDeps;
  options: ConversationOptions;
  rtp: RtpSession;
  is_live: boolean;
  duration_timer: NodeJS.Timeout;
  sdp_version: number;
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
    is_live: true,
    duration_timer: setTimeout(() => hangUp(state, 'max_duration'), options.max_duration_ms),
    sdp_version: 1,
    bye_waits_for_ack: false,
  };
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
  state.rtp.end(media_end);
  state.options.onEnd(ending, detail);
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
      const description = request.message.body && readSdp(request.message.body);
      if (state.is_live && description) state.rtp.retarget(description);
    },
    onAckTimeout() {
      session.bye();
      finish(state, { trigger: 'broke', end_reason: 'setup_error' }, 'our answer was never acknowledged', {
        by: 'failure',
        detail: 'no ACK',
      });
    },
    /** A re-INVITE: hold, a new address for the stream, or the refresh of a session timer. */
    onInvite(request) {
      const text = request.message.body;
      const offer = text ? readSdp(text) : null;
      if (text && !offer) {
        request.reject({ statusCode: 488 });
        return;
      }
      request.accept({
        statusCode: 200,
        extraHeaders: [`Contact: ${state.deps.agent.contact}`, state.deps.agent.allow_header],
        body: sdpBody(nextDescription(state, offer)),
      });
      if (offer) state.rtp.retarget(offer);
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
    ...(offer ? { answer_to: offer } : {}),
  });
}
