// Takes one call: asks whether it is wanted, answers or declines it, and minds the caller who gives up.
import { randomInt } from 'node:crypto';
import type { IncomingInviteRequest } from 'sip.js/lib/core/index.js';
import {
  type CallDeps,
  type CallEvent,
  type Conversation,
  conversation,
  type SipCall,
  sdpBody,
} from './call.ts';
import type { RtpPorts } from './rtp/ports.ts';
import { readSdp, writeSdp } from './sdp.ts';
import type { Ending } from './translate.ts';

export type InboundOffer = {
  provider_call_id: string;
  /** As the trunk wrote them: unchecked text. */
  from: string;
  to: string;
};

export type InboundDecision =
  | {
      answer: true;
      max_duration_ms: number;
      emit(events: CallEvent): void;
      taken(call: SipCall): void;
      /** Called instead when the caller gave up before, or there is no room for the audio. */
      missed(): void;
    }
  /** 404: no such number; 486: busy; 603: not wanted. */
  | { answer: false; status: 404 | 480 | 486 | 603 };

export type DecideInbound = (offer: InboundOffer) => Promise<InboundDecision>;

export async function inboundCall(
  deps: CallDeps & { ports: RtpPorts },
  request: IncomingInviteRequest,
  called: string,
  decide: DecideInbound,
): Promise<SipCall | null> {
  const { message } = request;
  let given_up = false;
  const refuse = (statusCode: number): null => {
    if (!given_up) request.reject({ statusCode });
    return null;
  };
  request.delegate = {
    onCancel() {
      request.reject({ statusCode: 487 });
      given_up = true;
    },
  };
  request.trying();

  const remote = readSdp(message.body ?? '');
  if (!remote) return refuse(488);
  const decision = await decide({
    provider_call_id: message.callId,
    from: message.from.uri.user ?? 'anonymous',
    to: called,
  }).catch(() => null);
  if (given_up) return null;
  if (decision === null) return refuse(500);
  if (!decision.answer) return refuse(decision.status);
  const socket = await deps.ports.open();
  if (!socket) return refuse(503);
  if (given_up) {
    socket.close();
    return null;
  }

  const { emit } = decision;
  const port = socket.address().port;
  const session_id = randomInt(2 ** 31);
  const answer = writeSdp({ address: deps.media_address, port, session_id, version: 1, answer_to: remote });
  const { session } = request.accept({ statusCode: 200, body: sdpBody(answer) });
  const talk: Conversation = conversation(deps, {
    session,
    socket,
    remote,
    sdp: { session_id, port },
    max_duration_ms: decision.max_duration_ms,
    onEnd: (ending: Ending, detail) => emit({ ...ending, sip_status: null, detail }),
  });
  const call: SipCall = {
    id: message.callId,
    direction: 'inbound',
    media: Promise.resolve(talk.rtp),
    hangUp: talk.hangUp,
    isLive: talk.isLive,
    rtpStats: () => talk.rtp.stats(),
  };
  decision.taken(call);
  emit({ trigger: 'answered', detail: '200 OK' });
  return call;
}
