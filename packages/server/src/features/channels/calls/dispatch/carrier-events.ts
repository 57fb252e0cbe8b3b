// Stores the carriers' events about calls: in order for each call, and never back to an earlier status.
import { type CallEndReason, isFinalCall } from '@parley/contract/channels/calls/call-records';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { Log } from '../../../../platform/log.ts';
import type { CarrierEvent } from '../../../../providers/carrier/carrier.ts';
import type { CallEnding, CallProgress, EndTrigger } from './progress/progress.ts';
import type { ProgressStore } from './progress/progress-store.ts';

type CallChanged = Extract<CarrierEvent, { kind: 'call_changed' }>;

/** Used when the carrier reports no reason. */
const default_reasons: Record<EndTrigger, CallEndReason> = {
  hung_up: 'callee_hangup',
  declined: 'busy',
  rang_out: 'ring_timeout',
  broke: 'trunk_failure',
  canceled: 'canceled',
};
const max_detail_chars = 500;

type EventDeps = {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  hangUp(provider: string, provider_call_id: string): void;
  /** The carrier has ended an answered call that a process runs. */
  reportEnd(call_id: string, ending: CallEnding): void;
  /** Resolves when the offer is accepted or declined. */
  offered(provider: string, offer: Extract<CarrierEvent, { kind: 'call_offered' }>): Promise<void>;
  log: Log;
};

export function callEvents(deps: EventDeps) {
  /** The last pending write of each call: the next event of the same call waits for it. */
  const writing = new Map<string, Promise<void>>();

  /** Rejects when the event is not stored, so that the carrier sends it again. */
  const applyInOrder = (provider: string, event: CallChanged): Promise<void> => {
    const key = event.call_id ?? event.provider_call_id;
    const applied = (writing.get(key) ?? Promise.resolve()).then(() =>
      deps.db.transaction((tx) => applyEvent(deps, tx, provider, event)),
    );
    const written = applied
      .catch((error) => deps.log.warn({ err: error }, 'call event not stored'))
      .finally(() => {
        if (writing.get(key) === written) writing.delete(key);
      });
    writing.set(key, written);
    return applied;
  };

  return {
    async handleEvents(provider: string, events: CarrierEvent[]): Promise<void> {
      for (const event of events) {
        if (event.kind === 'call_offered') await deps.offered(provider, event);
        if (event.kind === 'call_changed') await applyInOrder(provider, event);
      }
    },
    /** Resolves when all events of this call that arrived so far are stored. */
    written: async (call_id: string): Promise<void> => {
      await writing.get(call_id);
    },
  };
}

async function applyEvent(
  { store, progress, hangUp, reportEnd }: EventDeps,
  tx: Transaction,
  provider: string,
  event: CallChanged,
): Promise<void> {
  const call = await store.lockNamed(tx, { ...event, provider });
  if (!call) return;
  const { trigger, provider_call_id } = event;
  const is_alive = ['dialed', 'rang', 'answered'].includes(trigger);
  if (isFinalCall(call.status) && is_alive) {
    // No process runs the call any more, but a person may still be on the line.
    tx.afterCommit(() => hangUp(provider, provider_call_id));
    return;
  }
  if (call.provider_call_id === null) await store.placed(call, provider_call_id, tx);
  const text = event.detail.slice(0, max_detail_chars);
  const detail = text === '' ? {} : { detail: text };
  if (trigger === 'dialed') return;
  if (trigger === 'rang') return void (await progress.rang(tx, call, detail));
  if (trigger === 'answered')
    return void (await progress.answered(tx, call, { answered_by: event.answered_by }, detail));
  const ending: CallEnding = {
    ...endingOf(event, trigger, call),
    detail: text === '' ? null : text,
    duration_seconds: progress.secondsSince(call.answered_at),
  };
  // The process that runs the conversation sees the line close and has the better reason.
  if (call.status === 'in_progress' && call.is_leased) return reportEnd(call.id, ending);
  await progress.end(tx, call, ending);
}

/**
 * A carrier may report "busy" or "canceled" for a call that was answered. Such a call counts as hung up. It may also report a
 * normal end for an inbound call that we accepted, before its line opened: then the caller gave up.
 */
function endingOf(
  event: CallChanged,
  trigger: EndTrigger,
  { status, direction }: { status: string; direction: 'inbound' | 'outbound' },
) {
  const is_unclear = status === 'in_progress' && trigger !== 'broke' && trigger !== 'hung_up';
  if (is_unclear) return { trigger: 'hung_up', end_reason: default_reasons.hung_up } as const;
  if (status === 'ringing' && direction === 'inbound' && trigger === 'hung_up')
    return { trigger: 'canceled', end_reason: default_reasons.canceled } as const;
  return { trigger, end_reason: event.end_reason ?? default_reasons[trigger] };
}
