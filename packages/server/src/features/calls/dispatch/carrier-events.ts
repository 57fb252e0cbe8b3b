// Takes in what carriers say about calls: in order for each call, never backwards.
import { type CallEndReason, type CallTurn, isFinalCall } from '@parley/contract/call-records';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { CarrierEvent } from '../../../providers/carrier/carrier.ts';
import type { CallProgress, EndTrigger } from './progress.ts';
import type { CallRef, ProgressStore } from './progress-store.ts';

type CallEvent = Extract<CarrierEvent, { kind: 'call_changed' }>;

/** Where the carrier gives no reason of its own. */
const usual_reasons: Record<EndTrigger, CallEndReason> = {
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
  /** Where the carrier's own agent speaks, the carrier knows best. */
  speaksItself(provider: string): boolean;
  hangUp(provider: string, provider_call_id: string): void;
  /** Settles once it is decided who answers. */
  offered(provider: string, offer: Extract<CarrierEvent, { kind: 'call_offered' }>): Promise<void>;
  log: Log;
}) {
  const { db, store, progress } = deps;
  const writing = new Map<string, Promise<void>>();

  const write = (provider: string, event: CallEvent) =>
    db.transaction(async (tx) => {
      const call = await store.lockNamed(tx, { ...event, provider });
      if (!call) return;
      const is_going_on = ['dialed', 'rang', 'answered'].includes(event.trigger);
      if (isFinalCall(call.status) && is_going_on) {
        // Nobody leads it any more, and somebody may have it at their ear.
        tx.afterCommit(() => deps.hangUp(provider, event.provider_call_id));
        return;
      }
      if (call.provider_call_id === null) await store.placed(call, event.provider_call_id, { on: tx });
      const words = event.detail.slice(0, longest_detail);
      const detail = words === '' ? {} : { detail: words };
      const { trigger } = event;
      if (trigger === 'dialed') return;
      if (trigger === 'rang') return void (await progress.rang(tx, call, detail));
      if (trigger === 'answered') {
        return void (await progress.answered(tx, call, { answered_by: event.answered_by }, detail));
      }
      // Whoever leads the conversation hears the line close, and knows better than the carrier why.
      if (call.status === 'in_progress' && call.is_led && !deps.speaksItself(provider)) return;
      // A carrier's words for calls that nobody answered mean something else once somebody did.
      const was_talking = call.status === 'in_progress' && trigger !== 'broke' && trigger !== 'hung_up';
      await progress.end(tx, call, {
        trigger: was_talking ? 'hung_up' : trigger,
        end_reason:
          (was_talking ? null : event.end_reason) ?? usual_reasons[was_talking ? 'hung_up' : trigger],
        detail: words === '' ? null : words,
        duration_seconds: progress.secondsSince(call.answered_at),
      });
    });

  /** What another's agent and the person said. */
  const said = (provider: string, { provider_call_id, turn }: Extract<CarrierEvent, { kind: 'call_turn' }>) =>
    db.transaction(async (tx) => {
      const call = await store.lockNamed(tx, { provider, provider_call_id, call_id: null });
      if (call)
        await deps.writeTurn(tx, call, { ...turn, text: turn.text.slice(0, longest_turn), timings: null });
    });

  return {
    async handleEvents(provider: string, all: CarrierEvent[]): Promise<void> {
      for (const event of all) {
        if (event.kind === 'call_offered') await deps.offered(provider, event);
        if (event.kind === 'call_turn') await said(provider, event);
        if (event.kind !== 'call_changed') continue;
        const key = event.call_id ?? event.provider_call_id;
        const written = (writing.get(key) ?? Promise.resolve())
          .then(() => write(provider, event))
          .catch((error) => deps.log.warn({ err: error }, 'events of a call could not be written'))
          .finally(() => {
            if (writing.get(key) === written) writing.delete(key);
          });
        writing.set(key, written);
        await written;
      }
    },
    written: async (call_id: string): Promise<void> => {
      await writing.get(call_id);
    },
  };
}
