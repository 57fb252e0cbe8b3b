// Stores the carriers' events about calls: in order for each call, and never back to an earlier status.
import { type CallEndReason, type CallTurn, isFinalCall } from '@parley/contract/call-records';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { CarrierEvent } from '../../../providers/carrier/carrier.ts';
import type { CallProgress, EndTrigger } from './progress.ts';
import type { CallRef, ProgressStore } from './progress-store.ts';

type CallEvent = Extract<CarrierEvent, { kind: 'call_changed' }>;

/** Used when the carrier reports no reason. */
const default_reasons: Record<EndTrigger, CallEndReason> = {
  hung_up: 'callee_hangup',
  declined: 'busy',
  rang_out: 'ring_timeout',
  broke: 'trunk_failure',
  canceled: 'canceled',
};
const longest_detail = 500;
const longest_turn = 10_000;

export function callEvents(deps: {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  writeTurn(tx: Transaction, call: CallRef, turn: CallTurn): Promise<void>;
  /** The carrier's own agent speaks, so the carrier decides how the call ended. */
  hasOwnAgent(provider: string): boolean;
  hangUp(provider: string, provider_call_id: string): void;
  /** Resolves when the offer is accepted or declined. */
  offered(provider: string, offer: Extract<CarrierEvent, { kind: 'call_offered' }>): Promise<void>;
  log: Log;
}) {
  const { db, store, progress } = deps;
  const writing = new Map<string, Promise<void>>();

  const write = (provider: string, event: CallEvent) =>
    db.transaction(async (tx) => {
      const call = await store.lockNamed(tx, { ...event, provider });
      if (!call) return;
      const is_alive = ['dialed', 'rang', 'answered'].includes(event.trigger);
      if (isFinalCall(call.status) && is_alive) {
        // No process runs the call any more, but a person may still be on the line.
        tx.afterCommit(() => deps.hangUp(provider, event.provider_call_id));
        return;
      }
      if (call.provider_call_id === null) await store.placed(call, event.provider_call_id, { on: tx });
      const text = event.detail.slice(0, longest_detail);
      const detail = text === '' ? {} : { detail: text };
      const { trigger } = event;
      if (trigger === 'dialed') return;
      if (trigger === 'rang') return void (await progress.rang(tx, call, detail));
      if (trigger === 'answered') {
        return void (await progress.answered(tx, call, { answered_by: event.answered_by }, detail));
      }
      // The process that runs the conversation sees the line close and has the better reason.
      if (call.status === 'in_progress' && call.is_leased && !deps.hasOwnAgent(provider)) return;
      // A carrier may report "busy" or "canceled" for a call that was answered: it counts as hung up.
      const was_talking = call.status === 'in_progress' && trigger !== 'broke' && trigger !== 'hung_up';
      await progress.end(tx, call, {
        trigger: was_talking ? 'hung_up' : trigger,
        end_reason:
          (was_talking ? null : event.end_reason) ?? default_reasons[was_talking ? 'hung_up' : trigger],
        detail: text === '' ? null : text,
        duration_seconds: progress.secondsSince(call.answered_at),
      });
    });

  /** A turn on a call on which the carrier's own agent speaks. */
  const storeTurn = (
    provider: string,
    { provider_call_id, turn }: Extract<CarrierEvent, { kind: 'call_turn' }>,
  ) =>
    db.transaction(async (tx) => {
      const call = await store.lockNamed(tx, { provider, provider_call_id, call_id: null });
      if (call)
        await deps.writeTurn(tx, call, { ...turn, text: turn.text.slice(0, longest_turn), timings: null });
    });

  return {
    async handleEvents(provider: string, events: CarrierEvent[]): Promise<void> {
      for (const event of events) {
        if (event.kind === 'call_offered') await deps.offered(provider, event);
        if (event.kind === 'call_turn') await storeTurn(provider, event);
        if (event.kind !== 'call_changed') continue;
        const key = event.call_id ?? event.provider_call_id;
        const written = (writing.get(key) ?? Promise.resolve())
          .then(() => write(provider, event))
          .catch((error) => deps.log.warn({ err: error }, 'call event not stored'))
          .finally(() => {
            if (writing.get(key) === written) writing.delete(key);
          });
        writing.set(key, written);
        await written;
      }
    },
    /** Resolves when all events of this call that arrived so far are stored. */
    written: async (call_id: string): Promise<void> => {
      await writing.get(call_id);
    },
  };
}
