// Calls of the sandbox carrier: in-memory lines to simulated people.
import { randomUUID } from 'node:crypto';
import { memoryCall } from '../../media/memory-session.ts';
import type { CarrierEvent, VoicePort } from '../carrier.ts';
import type { InboundCall, SandboxPhones } from '../sandbox-phones.ts';
import { dialPhone, type PlacedCall } from './outbound-call.ts';
import { type RingingPhones, ringingPhones } from './ringing-phones.ts';

export type SandboxVoice = VoicePort & {
  isLive(provider_call_id: string): boolean;
  /** Simulates a call to one of our numbers; null when it was not answered. */
  callIn(call: InboundCall): Promise<{ provider_call_id: string } | null>;
  /** For the part of the sandbox that moves the service's clock. */
  ringing: Pick<RingingPhones, 'nextDue' | 'drain'>;
};

/** A call exists only in the process that placed it; for other processes it has ended. */
export function sandboxVoice(
  deps: SandboxPhones & { handleEvents(events: CarrierEvent[]): Promise<void> },
): SandboxVoice {
  const live = new Map<string, PlacedCall>();
  const offered = new Map<string, InboundCall>();
  const ringing = ringingPhones(deps.service_clock);

  return {
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
      const line = memoryCall({ clock: deps.clock });
      void line.callee.closed.then(() => live.delete(provider_call_id));
      live.set(provider_call_id, { media: Promise.resolve(line.callee), hangUp: line.callee.close });
      call.talk(line.caller, call_id).catch((error: Error) => line.fail(error.message));
      return { outcome: 'accepted' };
    },
    async decline() {},
    find: async () => ({ outcome: 'absent' }),
    async place(order) {
      const provider_call_id = `sandbox-call-${order.call_id}`;
      const onEnded = () => void live.delete(provider_call_id);
      live.set(provider_call_id, dialPhone({ ...deps, ringing, onEnded }, order, provider_call_id));
      return { outcome: 'placed', provider_call_id };
    },
    media: async (provider_call_id) => (await live.get(provider_call_id)?.media) ?? null,
    async hangUp(provider_call_id) {
      const call = live.get(provider_call_id);
      call?.hangUp();
      return { outcome: call ? 'ended' : 'already_ended' };
    },
    isLive: (provider_call_id) => live.has(provider_call_id),
    ringing,
  };
}
