// Stores the facts that the voice agent emits: turns in the transcript, everything else in the timeline.
import type { CallTurn } from '@parley/contract/call-records';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { Fact } from '../conversation/facts.ts';
import type { CallProgress } from './progress.ts';
import type { CallRef, ProgressStore } from './progress-store.ts';

export type FactWriterDeps = {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  writeTurn(tx: Transaction, call: CallRef, turn: CallTurn): Promise<void>;
  /** Latency of the agent's reply, from the other party's last sound to the agent's first. */
  observeTurn(ms: number): void;
  log: Log;
};

/** `emit` returns immediately, so that a slow database does not delay the sound. Facts are stored in their order. */
export function factWriter(deps: FactWriterDeps, call: CallRef) {
  let writing = Promise.resolve();
  return {
    emit(fact: Fact): void {
      if (fact.kind === 'said' && fact.timings) deps.observeTurn(fact.timings.total_ms);
      writing = writing
        .then(() => write(deps, call, fact))
        .catch((error) => deps.log.warn({ call_id: call.id, err: error }, 'call fact not stored'));
    },
    /** Resolves when all facts emitted so far are stored. */
    written: () => writing,
  };
}

async function write(
  { db, store, progress, writeTurn }: FactWriterDeps,
  call: CallRef,
  fact: Fact,
): Promise<void> {
  if (fact.kind === 'said') {
    const { kind: _, ...turn } = fact;
    await db.transaction((tx) => writeTurn(tx, call, turn));
    return;
  }
  const { kind, ...detail } = fact;
  if (fact.kind === 'answered_by') await store.answeredBy(call, fact.by);
  await progress.note(call, kind, detail);
}
