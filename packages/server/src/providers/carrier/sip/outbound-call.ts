// Places one call: INVITE, ringing, answer or refusal, cancellation, and the answer that crosses it.
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:dgram';
import type { AckableIncomingResponseWithSession, OutgoingInviteRequest } from 'sip.js/lib/core/index.js';
import type { MediaSession } from '../../media/media-session.ts';
import { type CallDeps, type CallEvent, type Conversation, conversation, type SipCall } from './call.ts';
import { readSdp, writeSdp } from './sdp.ts';
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

/** How long a cancelled call may take to confirm before it counts as ended anyway. */
const cancel_patience_ms = 5000;

export function outboundCall(
  deps: CallDeps,
  order: DialOrder,
  socket: Socket,
  emit: (events: CallEvent) => void,
): SipCall & { provisional(status: number): void } {
  const port = socket.address().port;
  const session_id = randomInt(2 ** 31);
  const offer = writeSdp({ address: deps.media_address, port, session_id, version: 1 });
  const message = deps.agent.request(
    'INVITE',
    order.to,
    order.from,
    [`P-Asserted-Identity: <sip:${order.from}@${deps.agent.from_domain}>`],
    offer,
  );

  let talk: Conversation | null = null;
  let our_reason: OurReason | null = null;
  /** Something came back: the trunk is there. */
  let heard = false;
  let rang = false;
  let cancel_sent = false;
  let ended = false;
  let patience: NodeJS.Timeout | null = null;
  const media = Promise.withResolvers<MediaSession | null>();

  function finish(ending: Ending, sip_status: number | null, detail: string): void {
    if (ended) return;
    ended = true;
    clearTimeout(ring_timer);
    if (patience) clearTimeout(patience);
    if (!talk) socket.close();
    media.resolve(null);
    emit({ ...ending, sip_status, detail });
  }

  const finishAsOurs = (sip_status: number | null, detail: string) =>
    finish(endingOfOurs(our_reason!, { answered: false, heard }), sip_status, detail);

  function answered(response: AckableIncomingResponseWithSession): void {
    heard = true;
    response.ack();
    // A second answer (a fork), or one that crossed our CANCEL: taken, and ended at once.
    if (talk || ended || our_reason !== null) {
      response.session.bye();
      if (our_reason !== null) finishAsOurs(200, 'answered while we cancelled');
      return;
    }
    const remote = readSdp(response.session.answer?.content ?? '');
    if (!remote) {
      response.session.bye();
      finish({ trigger: 'broke', end_reason: 'media_failure' }, 200, 'answered without audio that we speak');
      return;
    }
    clearTimeout(ring_timer);
    talk = conversation(deps, {
      session: response.session,
      socket,
      remote,
      sdp: { session_id, port },
      max_duration_ms: order.max_duration_ms,
      onEnd: (ending, detail) => finish(ending, null, detail),
    });
    media.resolve(talk.rtp);
    emit({ trigger: 'answered', detail: words(response.message) });
  }

  function refused(status: number, detail: string, by_peer: boolean): void {
    heard ||= by_peer;
    if (our_reason !== null) finishAsOurs(by_peer ? status : null, detail);
    else if (by_peer) finish(endingOfSipStatus(status), status, detail);
    else finish(ending_of_silence, null, `no answer from the trunk (${detail})`);
  }

  const words = (response: { statusCode?: number | undefined; reasonPhrase?: string | undefined }) =>
    `${response.statusCode} ${(response.reasonPhrase ?? '').slice(0, 200)}`.trim();
  // An answer the library made itself, after a timeout or a broken connection, has no text it was read from.
  const onRefusal = ({ message: response }: { message: { statusCode?: number | undefined; data: string } }) =>
    refused(response.statusCode ?? 0, words(response), response.data !== undefined);

  /** Also after the end, when the first sign of life comes late: nothing of ours may go on ringing. */
  function sendCancel(): void {
    if (cancel_sent) return;
    cancel_sent = true;
    request.cancel();
  }

  function hangUp(reason: OurReason): boolean {
    if (ended) return false;
    if (talk) return talk.hangUp(reason);
    if (our_reason !== null) return true;
    our_reason = reason;
    // Before the first sign of life a CANCEL is not allowed (RFC 3261 section 9.1); it follows when one comes.
    if (!heard) {
      finishAsOurs(null, `${reason} before the trunk said a word`);
      return true;
    }
    sendCancel();
    patience = setTimeout(
      () => finishAsOurs(null, 'the cancellation was never confirmed'),
      cancel_patience_ms,
    );
    return true;
  }

  const ring_timer = setTimeout(() => hangUp('ring_timeout'), order.ring_timeout_ms);
  emit({ trigger: 'dialed', detail: 'INVITE' });
  const request: OutgoingInviteRequest = deps.agent.core.invite(message, {
    onAccept: answered,
    onReject: onRefusal,
    onRedirect: onRefusal,
  });

  return {
    id: message.callId,
    direction: 'outbound',
    media: media.promise,
    hangUp,
    isLive: () => !ended,
    rtpStats: () => talk?.rtp.stats() ?? null,
    provisional(status) {
      heard = true;
      if (our_reason !== null) sendCancel();
      else if (status >= 180 && !rang && !ended && !talk) {
        rang = true;
        emit({ trigger: 'rang', detail: String(status) });
      }
    },
  };
}
