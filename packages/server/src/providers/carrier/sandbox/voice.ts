// Calls of the sandbox: a line in memory to people who answer, or do not, in the way their number says.
import { randomUUID } from 'node:crypto';
import type { CallEndReason, CallTrigger } from '@parley/contract/call-records';
import type { MediaSession } from '../../media/media-session.ts';
import { memoryCall } from '../../media/memory-session.ts';
import type { CallOrder, CarrierEvent, VoicePort } from '../carrier.ts';
import type { InboundCall, SandboxPhones } from '../sandbox-phones.ts';

type Ending = { trigger: CallTrigger; end_reason: CallEndReason; detail: string };

const endings: Record<'busy' | 'declined' | 'never_answers' | 'unreachable' | 'canceled', Ending> = {
  busy: { trigger: 'declined', end_reason: 'busy', detail: 'The line is busy.' },
  declined: { trigger: 'declined', end_reason: 'rejected', detail: 'The call was declined.' },
  never_answers: { trigger: 'rang_out', end_reason: 'ring_timeout', detail: 'Nobody picked up in time.' },
  unreachable: { trigger: 'broke', end_reason: 'unreachable', detail: 'The number is not in service.' },
  canceled: { trigger: 'canceled', end_reason: 'canceled', detail: 'The caller gave up.' },
};

const first_ring_ms = 200;
/** Another process may move the clock; it is looked at so often while a phone rings. */
const look_ms = 250;

type Placed = { media: Promise<MediaSession | null>; hangUp(): void };

/** A phone that rings, and what happens when it has rung for long enough. */
type Ringing = { left_ms(): number; over(): Promise<void> };

/** A call lives in the process that placed it; every other one takes it for ended. */
export function sandboxVoice(
  deps: SandboxPhones & { handleEvents(events: CarrierEvent[]): Promise<void> },
): VoicePort & {
  isLive(provider_call_id: string): boolean;
  /** Somebody calls a number of ours; false when nobody answers. */
  callIn(call: InboundCall): Promise<{ provider_call_id: string } | null>;
  /** For whoever moves the service's clock. */
  ringing: { nextDue(): Promise<Date | null>; drain(): Promise<void> };
} {
  const { clock, service_clock } = deps;
  const live = new Map<string, Placed>();
  const offered = new Map<string, InboundCall>();
  const rings = new Set<Ringing>();
  let look: NodeJS.Timeout | undefined;

  const ringFor = (phone: Ringing) => {
    rings.add(phone);
    look ??= setInterval(() => void drain(), look_ms).unref();
  };
  const ringsNoMore = (phone: Ringing) => {
    rings.delete(phone);
    if (rings.size > 0) return;
    clearInterval(look);
    look = undefined;
  };
  const drain = async () => {
    await Promise.all([...rings].filter((phone) => phone.left_ms() <= 0).map((phone) => phone.over()));
  };

  const dial = (order: CallOrder, provider_call_id: string): Placed => {
    const phone = deps.phoneAt(order.to);
    const { promise: media, resolve } = Promise.withResolvers<MediaSession | null>();
    const ringing = Promise.withResolvers<void>();
    let cancelStep = () => {};
    let session: MediaSession | null = null;
    let has_stopped = false;

    const tell = (trigger: CallTrigger, end_reason: CallEndReason | null, detail: string) =>
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
    /** False where it had stopped already: nobody picks up twice. */
    const stopRinging = (): boolean => {
      if (has_stopped) return false;
      has_stopped = true;
      cancelStep();
      ringsNoMore(own);
      ringing.resolve();
      return true;
    };
    const end = async (how: keyof typeof endings) => {
      if (!stopRinging()) return;
      live.delete(provider_call_id);
      const { trigger, end_reason, detail } = endings[how];
      // The news is out before the line is known to be dead, as with carriers that call back.
      await tell(trigger, end_reason, detail);
      resolve(null);
    };
    const answer = async (talk: (callee: MediaSession) => Promise<void>) => {
      if (!stopRinging()) return;
      const line = memoryCall({ clock });
      session = line.caller;
      const told = tell('answered', null, 'The call was answered.');
      void line.caller.closed.then((how) => {
        live.delete(provider_call_id);
        return tell('hung_up', how.by === 'them' ? 'callee_hangup' : null, 'The line was closed.');
      });
      talk(line.callee).catch((error: Error) => line.fail(error.message));
      resolve(line.caller);
      await told;
    };
    const pickUp = async (is_too_late: boolean) => {
      if (is_too_late) await end('never_answers');
      else if (phone.answers === true) await answer(phone.talk);
      else if (phone.answers === false) await end(phone.carrier_reports);
    };

    const rings_on =
      phone.answers === 'manually' || (!phone.answers && phone.carrier_reports === 'never_answers');
    const waits_ms = rings_on ? Number.POSITIVE_INFINITY : phone.rings_ms;
    const limit_ms = order.ring_timeout_seconds * 1000;
    const rings_ms = Math.min(waits_ms, limit_ms);
    const is_heard = phone.answers || !['busy', 'unreachable'].includes(phone.carrier_reports);
    const ring = async () => {
      if (phone.answers === 'manually') {
        const { call_id, from, to } = order;
        const decline = () => void end('declined');
        phone.ring({
          call_id,
          from,
          to,
          answer: (talk) => void answer(talk),
          decline,
          over: ringing.promise,
        });
      }
      if (is_heard) await tell('rang', null, 'The phone rings.');
    };
    let rung: Promise<void> | null = null;
    const started = { ms: clock.ms(), offset_ms: service_clock.offset_ms() };
    const own: Ringing = {
      // The time of the call, and how far the service's clock was moved meanwhile.
      left_ms: () =>
        started.ms - clock.ms() + started.offset_ms - service_clock.offset_ms() + first_ring_ms + rings_ms,
      async over() {
        rung ??= ring();
        await rung;
        await pickUp(waits_ms > limit_ms);
      },
    };
    ringFor(own);
    cancelStep = clock.after(first_ring_ms, () => {
      rung ??= ring();
      cancelStep = clock.after(rings_ms, () => void pickUp(waits_ms > limit_ms));
    });
    return {
      media,
      hangUp() {
        if (session) session.close();
        else void end('canceled');
      },
    };
  };

  return {
    has_own_agent: false,
    async callIn(call) {
      const provider_call_id = `sandbox-call-${randomUUID()}`;
      offered.set(provider_call_id, call);
      const { from, to } = call;
      await deps.handleEvents([{ kind: 'call_offered', provider_call_id, from, to }]);
      return offered.delete(provider_call_id) ? null : { provider_call_id };
    },
    async accept({ provider_call_id, call_id }) {
      const call = offered.get(provider_call_id);
      if (!call) return { outcome: 'refused', code: 'gone', detail: 'The caller gave up.' };
      offered.delete(provider_call_id);
      const line = memoryCall({ clock });
      void line.callee.closed.then(() => live.delete(provider_call_id));
      live.set(provider_call_id, { media: Promise.resolve(line.callee), hangUp: line.callee.close });
      call.talk(line.caller, call_id).catch((error: Error) => line.fail(error.message));
      return { outcome: 'accepted' };
    },
    async decline() {},
    find: async () => ({ outcome: 'absent' }),
    async place(order) {
      const provider_call_id = `sandbox-call-${order.call_id}`;
      live.set(provider_call_id, dial(order, provider_call_id));
      return { outcome: 'placed', provider_call_id };
    },
    media: async (provider_call_id) => (await live.get(provider_call_id)?.media) ?? null,
    async hangUp(provider_call_id) {
      const call = live.get(provider_call_id);
      call?.hangUp();
      return { outcome: call ? 'ended' : 'already_ended' };
    },
    isLive: (provider_call_id) => live.has(provider_call_id),
    ringing: {
      nextDue: async () =>
        rings.size === 0
          ? null
          : new Date(
              service_clock.ms() + Math.max(0, Math.min(...[...rings].map((phone) => phone.left_ms()))),
            ),
      drain,
    },
  };
}
