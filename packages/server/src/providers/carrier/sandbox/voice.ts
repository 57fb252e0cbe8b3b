// Calls of the sandbox: a line in memory to people who answer, or do not, in the way their number says.
import { randomUUID } from 'node:crypto';
import type { CallEndReason, CallTrigger } from '@parley/contract/call-records';
import type { MediaSession } from '../../media/media-session.ts';
import { memoryCall } from '../../media/memory-session.ts';
import type { CallOrder, News, VoicePort } from '../carrier.ts';
import type { FarPhones, InboundCall } from '../far-phones.ts';

type Ending = { trigger: CallTrigger; end_reason: CallEndReason; detail: string };

const endings: Record<'busy' | 'declined' | 'never_answers' | 'unreachable' | 'canceled', Ending> = {
  busy: { trigger: 'declined', end_reason: 'busy', detail: 'The line is busy.' },
  declined: { trigger: 'declined', end_reason: 'rejected', detail: 'The call was declined.' },
  never_answers: { trigger: 'rang_out', end_reason: 'ring_timeout', detail: 'Nobody picked up in time.' },
  unreachable: { trigger: 'broke', end_reason: 'unreachable', detail: 'The number is not in service.' },
  canceled: { trigger: 'canceled', end_reason: 'canceled', detail: 'The caller gave up.' },
};

const first_ring_ms = 200;

type Placed = { media: Promise<MediaSession | null>; hangUp(): void };

/** A call lives in the process that placed it; every other one takes it for ended. */
export function sandboxVoice(deps: FarPhones & { hear(news: News[]): Promise<void> }): VoicePort & {
  isLive(provider_call_id: string): boolean;
  /** Somebody calls a number of ours; false when nobody answers. */
  callIn(call: InboundCall): Promise<{ provider_call_id: string } | null>;
} {
  const { clock } = deps;
  const live = new Map<string, Placed>();
  const offered = new Map<string, InboundCall>();

  const dial = (order: CallOrder, provider_call_id: string): Placed => {
    const phone = deps.phoneAt(order.to);
    const { promise: media, resolve } = Promise.withResolvers<MediaSession | null>();
    const ringing = Promise.withResolvers<void>();
    let cancelStep = () => {};
    let session: MediaSession | null = null;

    const tell = (trigger: CallTrigger, end_reason: CallEndReason | null, detail: string) =>
      deps
        .hear([
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
    const end = (how: keyof typeof endings) => {
      cancelStep();
      ringing.resolve();
      live.delete(provider_call_id);
      const { trigger, end_reason, detail } = endings[how];
      // The news is out before the line is known to be dead, as with carriers that call back.
      void tell(trigger, end_reason, detail).then(() => resolve(null));
    };
    const answer = (talk: (callee: MediaSession) => Promise<void>) => {
      cancelStep();
      ringing.resolve();
      const line = memoryCall({ clock });
      session = line.caller;
      void tell('answered', null, 'The call was answered.');
      void line.caller.closed.then((how) => {
        live.delete(provider_call_id);
        return tell('hung_up', how.by === 'them' ? 'callee_hangup' : null, 'The line was closed.');
      });
      talk(line.callee).catch((error: Error) => line.fail(error.message));
      resolve(line.caller);
    };
    const pickUp = (is_too_late: boolean) => {
      if (is_too_late) end('never_answers');
      else if (phone.answers === true) answer(phone.talk);
      else if (phone.answers === false) end(phone.carrier_reports);
    };

    const rings_on =
      phone.answers === 'by_hand' || (!phone.answers && phone.carrier_reports === 'never_answers');
    const waits_ms = rings_on ? Number.POSITIVE_INFINITY : phone.rings_ms;
    const limit_ms = order.ring_timeout_seconds * 1000;
    const rings = phone.answers || !['busy', 'unreachable'].includes(phone.carrier_reports);
    cancelStep = clock.after(first_ring_ms, () => {
      if (rings) void tell('rang', null, 'The phone rings.');
      if (phone.answers === 'by_hand') {
        const { call_id, from, to } = order;
        phone.ring({ call_id, from, to, answer, decline: () => end('declined'), over: ringing.promise });
      }
      cancelStep = clock.after(Math.min(waits_ms, limit_ms), () => pickUp(waits_ms > limit_ms));
    });
    return {
      media,
      hangUp() {
        if (session) session.close();
        else end('canceled');
      },
    };
  };

  return {
    speaks_itself: false,
    async callIn(call) {
      const provider_call_id = `sandbox-call-${randomUUID()}`;
      offered.set(provider_call_id, call);
      const { from, to } = call;
      await deps.hear([{ kind: 'call_offered', provider_call_id, from, to }]);
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
  };
}
