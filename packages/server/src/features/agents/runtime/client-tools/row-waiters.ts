// Waits until the row of a tool call says something new, which any process of the service may have written.
import type { ToolCallStatus } from '@parley/contract/agents/tool-calls';
import type { Database } from '../../../../platform/db/database.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Wake } from '../../../../platform/wake.ts';
import type { ToolOutcome } from '../agent-tool.ts';
import type { ToolCallRef } from '../records/tool-records.ts';
import type { ToolCallStore } from '../store.ts';

export type WaiterDeps = {
  db: Database;
  store: Pick<ToolCallStore, 'outcome'>;
  wake: Pick<Wake, 'notify' | 'on'>;
  log: Log;
};

type WaitedRow = { status: ToolCallStatus; outcome: ToolOutcome | null };
type Waiting<T> = { ref: ToolCallRef; resolve(value: T): void };

/** `read` returns null while there is nothing new. */
export function rowWaiters<T>(
  deps: WaiterDeps,
  wake_kind: string,
  read: (row: WaitedRow) => NonNullable<T> | null,
) {
  const waiting = new Map<string, Waiting<NonNullable<T>>>();

  const look = ({ ref, resolve }: Waiting<NonNullable<T>>): void =>
    void deps.store.outcome(ref).then(
      (row) => {
        const value = row && read(row);
        if (value !== null) resolve(value);
      },
      (error) => deps.log.warn({ tool_call_id: ref.id, err: error }, 'record of a tool call not read'),
    );
  deps.wake.on(wake_kind, {
    woken(id) {
      const one = waiting.get(id);
      if (one) look(one);
    },
    missed: () => waiting.forEach(look),
  });

  return {
    /** When the signal aborts, it never resolves. */
    wait(ref: ToolCallRef, signal: AbortSignal): Promise<NonNullable<T>> {
      const { promise, resolve } = Promise.withResolvers<NonNullable<T>>();
      const forget = () => void waiting.delete(ref.id);
      const one: Waiting<NonNullable<T>> = {
        ref,
        resolve(value) {
          forget();
          resolve(value);
        },
      };
      waiting.set(ref.id, one);
      signal.addEventListener('abort', forget, { once: true });
      // It may have been written before we waited for it.
      look(one);
      return promise;
    },
    /** After the commit, for the process that waits. */
    notify(id: string): void {
      deps.wake
        .notify(deps.db, wake_kind, id)
        .catch((error) =>
          deps.log.warn({ tool_call_id: id, err: error }, 'no process woken for a tool call'),
        );
    },
  };
}
