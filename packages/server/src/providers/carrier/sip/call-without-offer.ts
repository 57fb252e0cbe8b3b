// A call whose INVITE had no session description: our offer is in the answer, and theirs comes in the ACK (RFC 3264, RFC 3261 13.2.1).
import type { MediaSession } from '../../media/media-session.ts';
import {
  type CallDeps,
  type Conversation,
  type ConversationOptions,
  conversation,
  type SipCall,
} from './call.ts';
import { readAnswer } from './sdp.ts';
import { type Ending, ending_of_their_bye, endingOfOurs, type OurReason } from './translate.ts';

const no_description: Ending = { trigger: 'broke', end_reason: 'media_failure' };
const never_acknowledged: Ending = { trigger: 'broke', end_reason: 'setup_error' };

/** Until the ACK there is no stream; with it the conversation begins. */
export function callWithoutOffer(
  deps: CallDeps,
  options: Omit<ConversationOptions, 'remote'>,
  onAnswered: () => void,
): Pick<SipCall, 'media' | 'hangUp' | 'isLive' | 'rtpStats'> {
  const { session, socket, onEnd } = options;
  const media = Promise.withResolvers<MediaSession | null>();
  let talk: Conversation | null = null;
  let ended = false;

  function finish(ending: Ending, detail: string): void {
    if (ended) return;
    ended = true;
    socket.close();
    media.resolve(null);
    onEnd(ending, detail);
  }

  /** A callee may not send BYE before the ACK, so a call that we ended before gets its BYE here. */
  function receiveAck(body: string): void {
    const remote = body ? readAnswer(body, options.sdp.crypto) : null;
    if (ended || !remote) {
      session.bye();
      const detail = body ? 'the ACK had no supported stream' : 'the ACK had no session description';
      finish(no_description, detail);
      return;
    }
    talk = conversation(deps, { ...options, remote });
    media.resolve(talk.rtp);
    onAnswered();
  }

  session.delegate = {
    onAck: ({ message }) => receiveAck(message.body ?? ''),
    onAckTimeout() {
      session.bye();
      finish(never_acknowledged, 'our answer was never acknowledged');
    },
    onBye(request) {
      request.accept();
      finish(ending_of_their_bye, 'BYE before the ACK');
    },
  };
  return {
    media: media.promise,
    hangUp(reason: OurReason) {
      if (talk) return talk.hangUp(reason);
      if (ended) return false;
      finish(endingOfOurs(reason, { answered: true, trunk_responded: true }), `we hung up: ${reason}`);
      return true;
    },
    isLive: () => (talk ? talk.isLive() : !ended),
    rtpStats: () => talk?.rtp.stats() ?? null,
  };
}
