// What outbound and inbound calls share: one stream of audio, one dialog, one end.
import type { Session } from 'sip.js/lib/core/index.js';
import type { MediaSession } from '../../media/media-session.ts';
import { type RtpSession, type RtpWheel, rtpSession } from './rtp/session.ts';
import { type Description, readSdp, writeSdp } from './sdp.ts';
import { type Ending, ending_of_their_bye, endingOfOurs, type OurReason } from './translate.ts';
import { allow_header, type UserAgent } from './user-agent.ts';

/** What happens to a call, in the order it happens. Nothing comes after an end. */
export type CallEvent =
  | { trigger: 'dialed' | 'rang' | 'answered'; detail: string }
  | (Ending & {
      /** The SIP status that ended it; null where none did. */
      sip_status: number | null;
      /** The carrier's own words. */
      detail: string;
    });

export type SipCall = {
  /** The Call-ID. */
  id: string;
  direction: 'outbound' | 'inbound';
  /** Settles with null when the call ends before it is answered. */
  media: Promise<MediaSession | null>;
  /** False when it has ended already. */
  hangUp(reason: OurReason): boolean;
  isLive(): boolean;
  rtpStats(): ReturnType<RtpSession['stats']> | null;
};

export type CallDeps = {
  agent: UserAgent;
  wheel: RtpWheel;
  /** As it stands in session descriptions. */
  media_address: string;
  inactivity_timeout_ms: number;
};

export const sdpBody = (content: string) => ({
  contentDisposition: 'session',
  contentType: 'application/sdp',
  content,
});

/** The confirmed part of a call: from the answer to the end. */
export function conversation(
  deps: CallDeps,
  options: {
    session: Session;
    socket: Parameters<typeof rtpSession>[0]['socket'];
    remote: Description;
    sdp: { session_id: number; port: number };
    max_duration_ms: number;
    onEnd(ending: Ending, detail: string): void;
  },
) {
  const { session, sdp, onEnd } = options;
  const rtp = rtpSession({
    wheel: deps.wheel,
    socket: options.socket,
    target: options.remote,
    inactivity_timeout_ms: deps.inactivity_timeout_ms,
  });
  let live = true;
  let sdp_version = 1;
  /** A callee may not send BYE before the caller's ACK (RFC 3261 section 15). */
  let bye_waits_for_ack = false;

  function finish(ending: Ending, detail: string, media_end: Parameters<RtpSession['end']>[0]): void {
    if (!live) return;
    live = false;
    clearTimeout(limit);
    rtp.end(media_end);
    onEnd(ending, detail);
  }

  function sendBye(): void {
    if (session.sessionState === 'AckWait') bye_waits_for_ack = true;
    else session.bye();
  }

  function hangUp(reason: OurReason): boolean {
    if (!live) return false;
    sendBye();
    finish(endingOfOurs(reason, { answered: true, heard: true }), `we hung up: ${reason}`, { by: 'us' });
    return true;
  }

  const limit = setTimeout(() => hangUp('max_duration'), options.max_duration_ms);
  // The stream ends by itself when it falls silent for too long, or when whoever holds it closes it.
  void rtp.closed.then((how) => hangUp(how.by === 'failure' ? 'media_failure' : 'agent_hangup'));

  session.delegate = {
    onBye(request) {
      request.accept();
      const why = request.message.getHeader('reason');
      finish(ending_of_their_bye, why ? `BYE (${why.slice(0, 200)})` : 'BYE', { by: 'them' });
    },
    onAck(request) {
      if (bye_waits_for_ack) session.bye();
      const answer = request.message.body && readSdp(request.message.body);
      if (live && answer) rtp.retarget(answer);
    },
    onAckTimeout() {
      session.bye();
      finish({ trigger: 'broke', end_reason: 'setup_error' }, 'our answer was never acknowledged', {
        by: 'failure',
        detail: 'no ACK',
      });
    },
    /** A hold, a move of the stream, or the refresh of a session timer. */
    onInvite(request) {
      const text = request.message.body;
      const offer = text ? readSdp(text) : null;
      if (text && !offer) {
        request.reject({ statusCode: 488 });
        return;
      }
      sdp_version++;
      const description = writeSdp({
        address: deps.media_address,
        port: sdp.port,
        session_id: sdp.session_id,
        version: sdp_version,
        ...(offer ? { answer_to: offer } : {}),
      });
      request.accept({
        statusCode: 200,
        extraHeaders: [`Contact: ${deps.agent.contact}`, allow_header],
        body: sdpBody(description),
      });
      if (offer) rtp.retarget(offer);
    },
  };

  return { rtp, hangUp, isLive: () => live };
}
export type Conversation = ReturnType<typeof conversation>;
