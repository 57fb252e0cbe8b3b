// Stores the facts that the voice agent emits: turns in the transcript, everything else in the timeline.
import type { Database } from '../../../../../platform/db/database.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { Metrics } from '../../../../../platform/metrics.ts';
import type { Outbox } from '../../../../../platform/outbox.ts';
import type { Fact, ToolFact } from '../../conversation/facts.ts';
import type { WriteTurn } from '../../transcript.ts';
import type { CallProgress } from './progress.ts';
import type { CallRef, ProgressStore } from './progress-store.ts';

export type FactWriterDeps = {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  outbox: Outbox;
  writeTurn: WriteTurn;
  /** Latency of the agent's reply, from the other party's last sound to the agent's first. */
  observeTurn(ms: number): void;
  countLostSpeech: Metrics['countLostSpeech'];
  log: Log;
};

/** `emit` returns immediately, so that a slow database does not delay the sound. Facts are stored in their order. */
export function factWriter(deps: FactWriterDeps, call: CallRef) {
  let writing = Promise.resolve();
  return {
    emit(fact: Fact): void {
      if (fact.kind === 'said' && fact.timings) deps.observeTurn(fact.timings.total_ms);
      if (fact.kind === 'not_understood') noteLostSpeech(deps, call, fact);
      writing = writing
        .then(() => write(deps, call, fact))
        .catch((error) => deps.log.warn({ call_id: call.id, err: error }, 'call fact not stored'));
    },
    /** Resolves when all facts emitted so far are stored. */
    written: () => writing,
  };
}

/** In the log too: the operator of a busy machine learns of it without reading timelines. */
function noteLostSpeech(
  { countLostSpeech, log }: Pick<FactWriterDeps, 'countLostSpeech' | 'log'>,
  { id }: CallRef,
  { cause, sound_ms }: Extract<Fact, { kind: 'not_understood' }>,
): void {
  countLostSpeech(cause);
  log.warn({ call_id: id, cause, sound_ms }, 'speech of the other party became no turn');
}

async function write(
  { db, store, progress, writeTurn, outbox }: FactWriterDeps,
  call: CallRef,
  fact: Fact,
): Promise<void> {
  if (fact.kind === 'said') {
    const { kind: _, ...turn } = fact;
    await db.transaction((tx) => writeTurn(tx, call, turn));
    return;
  }
  const { kind, ...detail } = fact;
  // Another process leads the call.
  if ((await progress.note(call, kind, detail)) === 0) return;
  if ('tool_call_id' in fact) await publishToolFact(outbox, db, call, fact);
  if (fact.kind === 'answered_by') await store.answeredBy(call, fact.by);
  if (fact.kind === 'relay_ended') await store.handedOff(call, fact.handoff_data);
}

/** For clients that follow the call live. */
async function publishToolFact(
  outbox: Outbox,
  db: Database,
  { organization_id, id }: CallRef,
  fact: ToolFact,
): Promise<void> {
  const { tool_call_id, tool } = fact;
  const base = { organization_id, resource_id: id };
  const event =
    fact.kind === 'tool_called'
      ? {
          ...base,
          type: 'call.tool_called' as const,
          data: { id, tool_call_id, tool, arguments: fact.arguments },
        }
      : {
          ...base,
          type: 'call.tool_answered' as const,
          data: {
            id,
            tool_call_id,
            tool,
            error: fact.kind === 'tool_failed' ? fact.error : null,
            duration_ms: fact.duration_ms,
          },
        };
  await db.transaction((tx) => outbox.write(tx, [event]));
}
