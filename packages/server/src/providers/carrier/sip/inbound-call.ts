// Receives one call: gets the decision about it, answers or declines it, and handles a caller who gives up.
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { type CallDeps, type CallEvent, conversation, type SipCall, sdpBody } from './call.ts';
import { callWithoutOffer } from './call-without-offer.ts';
import { offeredCryptoLines } from './crypto-lines.ts';
import { no_capacity } from './no-capacity.ts';
import type { RtpPorts } from './rtp/ports.ts';
import { readOffer, writeSdp } from './sdp.ts';
import { type AgreedSession, answerSession } from './session-timer.ts';
import type { IncomingInviteRequest } from './sipjs/core/index.js';
import type { Ending } from './translate.ts';

export type InboundOffer = {
  provider_call_id: string;
  /** Unchecked text from the trunk. */
  from: string;
  to: string;
};

export type InboundDecision =
  | {
      answer: true;
      max_duration_ms: number;
      emit(event: CallEvent): void;
      accepted(call: SipCall): void;
      /** Called instead of `accepted` when the caller gave up before, or no RTP port is free. */
      missed(): void;
    }
  /** 404: unknown number; 480: temporarily unavailable; 486: busy; 503: no capacity here; 603: declined. */
  | { answer: false; status: 404 | 480 | 486 | 503 | 603 };

export type DecideInbound = (offer: InboundOffer) => Promise<InboundDecision>;

export async function inboundCall(
  deps: CallDeps & { ports: RtpPorts },
  request: IncomingInviteRequest,
  called: string,
  decide: DecideInbound,
): Promise<SipCall | null> {
  const { message } = request;
  let is_canceled = false;
  const refuse = (statusCode: number): null => {
    if (!is_canceled) request.reject(statusCode === 503 ? no_capacity : { statusCode });
    return null;
  };
  request.delegate = {
    onCancel() {
      request.reject({ statusCode: 487 });
      is_canceled = true;
    },
  };
  request.trying();

  // Without a description the caller wants our offer in the answer, and sends its own answer in the ACK.
  const remote = message.body ? readOffer(message.body, deps.srtp) : null;
  if (message.body && !remote) return refuse(488);
  const timer = answerSession(message, deps.session_limits);
  if ('refusal' in timer) {
    request.reject(timer.refusal);
    return null;
  }
  const decision = await decide({
    provider_call_id: message.callId,
    from: message.from.uri.user ?? 'anonymous',
    to: called,
  }).catch(() => null);
  if (is_canceled) return null;
  if (decision === null) return refuse(500);
  if (!decision.answer) return refuse(decision.status);
  const socket = await deps.ports.open();
  if (!socket) return refuse(503);
  if (is_canceled) {
    socket.close();
    return null;
  }

  const call = answer(deps, request, { remote, socket, decision, timer });
  decision.accepted(call);
  if (remote) decision.emit({ trigger: 'answered', detail: '200 OK' });
  return call;
}

type Answer = {
  /** Null: the caller sent no offer. */
  remote: ReturnType<typeof readOffer>;
  socket: Socket;
  decision: Extract<InboundDecision, { answer: true }>;
  timer: { session: AgreedSession; headers: string[] };
};

function answer(
  deps: CallDeps,
  request: IncomingInviteRequest,
  { remote, socket, decision, timer }: Answer,
): SipCall {
  const { emit, max_duration_ms } = decision;
  const sdp = { session_id: randomInt(2 ** 31), port: socket.address().port };
  // The caller cannot tell us that it has no SRTP, so an offer of ours is encrypted only where every call is.
  const crypto = remote?.crypto ?? (deps.srtp === 'required' ? offeredCryptoLines() : []);
  const text = writeSdp({
    address: deps.media_address,
    ...sdp,
    version: 1,
    crypto,
    ...(remote ? { answer_to: remote.offer } : {}),
  });
  const { session } = request.accept({
    statusCode: 200,
    extraHeaders: timer.headers,
    body: sdpBody(text),
  });
  const options = {
    session,
    socket,
    sdp: { ...sdp, text, crypto },
    agreed: timer.session,
    max_duration_ms,
    onEnd: (ending: Ending, detail: string) => emit({ ...ending, sip_status: null, detail }),
  };
  const identity = { id: request.message.callId, direction: 'inbound' } as const;
  if (!remote) {
    const talk = callWithoutOffer(deps, options, () => emit({ trigger: 'answered', detail: 'ACK' }));
    return { ...identity, ...talk };
  }
  const talk = conversation(deps, { ...options, remote: remote.target });
  return {
    ...identity,
    media: Promise.resolve(talk.rtp),
    hangUp: talk.hangUp,
    isLive: talk.isLive,
    rtpStats: () => talk.rtp.stats(),
  };
}
