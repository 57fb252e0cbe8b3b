// An outbound call of the sandbox: the simulated phone rings, and is answered or not, as its number defines.
import type { CallEndReason, CarrierTrigger } from '@parley/contract/channels/calls/call-records';
import type { MediaSession } from '../../media/media-session.ts';
import { memoryCall } from '../../media/memory-session.ts';
import type { CallOrder, CarrierEvent } from '../carrier.ts';
import type { SandboxPhone, SandboxPhones } from '../sandbox-phones.ts';
import type { RingingPhone, RingingPhones } from './ringing-phones.ts';

type Ending = { trigger: CarrierTrigger; end_reason: CallEndReason; detail: string };

const endings: Record<'busy' | 'declined' | 'never_answers' | 'unreachable' | 'canceled', Ending> = {
  busy: { trigger: 'declined', end_reason: 'busy', detail: 'The line is busy.' },
  declined: { trigger: 'declined', end_reason: 'rejected', detail: 'The call was declined.' },
  never_answers: { trigger: 'rang_out', end_reason: 'ring_timeout', detail: 'Nobody picked up in time.' },
  unreachable: { trigger: 'broke', end_reason: 'unreachable', detail: 'The number is not in service.' },
  canceled: { trigger: 'canceled', end_reason: 'canceled', detail: 'The call was canceled.' },
};

const first_ring_ms = 200;

type Deps = SandboxPhones & {
  handleEvents(events: CarrierEvent[]): Promise<void>;
  ringing: RingingPhones;
  /** Called once, when the call is over. */
  onEnded(): void;
};

type OutboundCall = {
  deps: Deps;
  order: CallOrder;
  provider_call_id: string;
  phone: SandboxPhone;
  /** `ringing` changes once, to `answered` or `ended`; `answered` changes to `ended` when the line is closed. */
  state: 'ringing' | 'answered' | 'ended';
  media: PromiseWithResolvers<MediaSession | null>;
  session: MediaSession | null;
  stopped_ringing: PromiseWithResolvers<void>;
  ringing_phone: RingingPhone;
  /** The first ring, which is reported once. */
  first_ring: Promise<void> | null;
  cancelTimer(): void;
};

export type PlacedCall = { media: Promise<MediaSession | null>; hangUp(): void };

export function dialPhone(deps: Deps, order: CallOrder, provider_call_id: string): PlacedCall {
  const { clock, service_clock, ringing } = deps;
  const phone = deps.phoneAt(order.to);
  const { rings_ms, times_out } = ringingTime(phone, order);
  const started = { ms: clock.ms(), offset_ms: service_clock.offset_ms() };
  const call: OutboundCall = {
    deps,
    order,
    provider_call_id,
    phone,
    state: 'ringing',
    media: Promise.withResolvers(),
    session: null,
    stopped_ringing: Promise.withResolvers(),
    ringing_phone: {
      // Counts the time of the call, and how far the service's clock was moved since the call started.
      left_ms: () =>
        started.ms - clock.ms() + started.offset_ms - service_clock.offset_ms() + first_ring_ms + rings_ms,
      async finish() {
        await ring(call);
        await finishRinging(call, times_out);
      },
    },
    first_ring: null,
    cancelTimer: () => {},
  };
  ringing.add(call.ringing_phone);
  call.cancelTimer = clock.after(first_ring_ms, () => {
    void ring(call);
    call.cancelTimer = clock.after(rings_ms, () => void finishRinging(call, times_out));
  });
  return {
    media: call.media.promise,
    hangUp() {
      if (call.session) call.session.close();
      else void endUnanswered(call, 'canceled');
    },
  };
}

/** `times_out`: the ring timeout of the order ends the ringing before the phone answers. */
function ringingTime(phone: SandboxPhone, order: CallOrder): { rings_ms: number; times_out: boolean } {
  const rings_forever =
    phone.answers === 'manually' || (!phone.answers && phone.carrier_reports === 'never_answers');
  const phone_ms = rings_forever ? Number.POSITIVE_INFINITY : phone.rings_ms;
  const limit_ms = order.ring_timeout_seconds * 1000;
  return { rings_ms: Math.min(phone_ms, limit_ms), times_out: phone_ms > limit_ms };
}

function ring(call: OutboundCall): Promise<void> {
  call.first_ring ??= startRinging(call);
  return call.first_ring;
}

async function startRinging(call: OutboundCall): Promise<void> {
  const { phone, order } = call;
  if (phone.answers === 'manually') {
    phone.ring({
      call_id: order.call_id,
      from: order.from,
      to: order.to,
      answer: (talk) => void answer(call, talk),
      decline: () => void endUnanswered(call, 'declined'),
      stopped_ringing: call.stopped_ringing.promise,
    });
  }
  const is_audible = phone.answers || !['busy', 'unreachable'].includes(phone.carrier_reports);
  if (is_audible) await report(call, 'rang', null, 'The phone rings.');
}

async function finishRinging(call: OutboundCall, times_out: boolean): Promise<void> {
  const { phone } = call;
  if (times_out) await endUnanswered(call, 'never_answers');
  else if (phone.answers === true) await answer(call, phone.talk);
  else if (phone.answers === false) await endUnanswered(call, phone.carrier_reports);
}

async function answer(call: OutboundCall, talk: (session: MediaSession) => Promise<void>): Promise<void> {
  if (!stopRinging(call, 'answered')) return;
  const line = memoryCall({ clock: call.deps.clock });
  call.session = line.caller;
  const reported = report(call, 'answered', null, 'The call was answered.');
  void line.caller.closed.then((how) => {
    call.state = 'ended';
    call.deps.onEnded();
    return report(call, 'hung_up', how.by === 'them' ? 'callee_hangup' : null, 'The line was closed.');
  });
  talk(line.callee).catch((error: Error) => line.fail(error.message));
  call.media.resolve(line.caller);
  await reported;
}

async function endUnanswered(call: OutboundCall, how: keyof typeof endings): Promise<void> {
  if (!stopRinging(call, 'ended')) return;
  call.deps.onEnded();
  const { trigger, end_reason, detail } = endings[how];
  // Report the event before the media settles, in the same order as carriers with callbacks.
  await report(call, trigger, end_reason, detail);
  call.media.resolve(null);
}

/** False when the phone does not ring any more. */
function stopRinging(call: OutboundCall, next: 'answered' | 'ended'): boolean {
  if (call.state !== 'ringing') return false;
  call.state = next;
  call.cancelTimer();
  call.deps.ringing.remove(call.ringing_phone);
  call.stopped_ringing.resolve();
  return true;
}

const report = (
  { deps, provider_call_id, order }: OutboundCall,
  trigger: CarrierTrigger,
  end_reason: CallEndReason | null,
  detail: string,
): Promise<void> =>
  deps
    .handleEvents([
      {
        kind: 'call_changed',
        provider_call_id,
        call_id: order.call_id,
        trigger,
        answered_by: null,
        end_reason,
        detail,
      },
    ])
    .catch(() => {});
