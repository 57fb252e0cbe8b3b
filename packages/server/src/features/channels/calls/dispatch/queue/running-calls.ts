// The calls that this process runs. It owns their leases and renews them, so that no other process closes them as lost.
import { untilCut } from '../../../../../platform/drain.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { HangUpReason } from '../progress/endings.ts';
import type { CallEnding } from '../progress/progress.ts';
import { isOver, type ProgressStore, type RunningCall } from '../progress/progress-store.ts';
import type { CallRunner } from '../runner.ts';

const heartbeat_ms = 1000;

type Running = {
  hang_up: AbortController;
  done: Promise<void>;
  /** Needed where the line never opened, so that only the carrier knows how the call ended. */
  reported_end: CallEnding | null;
};

export type RunningCalls = ReturnType<typeof runningCalls>;

export function runningCalls(deps: {
  store: Pick<ProgressStore, 'renew'>;
  leader_id: string;
  run: CallRunner;
  lease_seconds: number;
  log: Log;
  /** A call is over, and this process has capacity for another one. */
  onEnd(): void;
}) {
  const { log } = deps;
  const calls = new Map<string, Running>();
  let heartbeat: NodeJS.Timeout | undefined;
  let is_renewing = false;

  const beat = (): void => {
    if (calls.size === 0) {
      clearInterval(heartbeat);
      heartbeat = undefined;
      return;
    }
    // A slow database must not get a second update of the same rows.
    if (is_renewing) return;
    is_renewing = true;
    void renewLeases(deps, calls)
      .catch((error) => log.warn({ err: error }, 'call leases not renewed'))
      .finally(() => {
        is_renewing = false;
      });
  };

  return {
    count: () => calls.size,

    /** `run` is only given for a call that is not run as usual. */
    start(call: RunningCall, run: CallRunner = deps.run): void {
      const hang_up = new AbortController();
      const done = run(call, hang_up.signal)
        .catch((error) => log.error({ call_id: call.id, err: error }, 'call left to the sweeper'))
        .finally(() => {
          // A call that went back to the queue may have been claimed again meanwhile.
          if (calls.get(call.id)?.hang_up === hang_up) calls.delete(call.id);
          deps.onEnd();
        });
      calls.set(call.id, { hang_up, done, reported_end: null });
      heartbeat ??= setInterval(beat, heartbeat_ms);
    },

    /** Does nothing when another process runs the call: that process reads the request at its next heartbeat. */
    hangUp(call_id: string, reason: HangUpReason): void {
      calls.get(call_id)?.hang_up.abort(reason);
    },

    /** The carrier reported the end of a call that this process may run. */
    reportEnd(call_id: string, ending: CallEnding): void {
      const running = calls.get(call_id);
      if (running) running.reported_end = ending;
    },
    reportedEnd: (call_id: string): CallEnding | null => calls.get(call_id)?.reported_end ?? null,

    /** Resolves when no call runs, or the signal aborts. */
    async idle(cut: AbortSignal): Promise<void> {
      while (calls.size > 0 && !cut.aborted)
        await untilCut(Promise.all([...calls.values()].map(({ done }) => done)), cut);
    },

    /** Ends every call. A call that does not end before the cut is closed by the sweeper when its lease runs out. */
    async stop(cut?: AbortSignal): Promise<void> {
      const ending = [...calls.values()];
      for (const { hang_up } of ending) hang_up.abort('force_closed');
      const is_in_time = await untilCut(Promise.all(ending.map(({ done }) => done)), cut);
      if (!is_in_time) log.warn({ calls: calls.size }, 'calls left to the sweeper');
      clearInterval(heartbeat);
    },
  };
}

/** The rows also show which calls another process ended, requested to hang up or leads now. */
async function renewLeases(
  deps: { store: Pick<ProgressStore, 'renew'>; leader_id: string; lease_seconds: number; log: Log },
  calls: ReadonlyMap<string, Running>,
): Promise<void> {
  const ids = [...calls.keys()];
  const rows = await deps.store.renew(deps.leader_id, ids, deps.lease_seconds);
  const by_id = new Map(rows.map((row) => [row.id, row]));
  for (const id of ids) {
    const row = by_id.get(id);
    if (!row || isOver(row) || row.is_hang_up_requested) calls.get(id)?.hang_up.abort('api_hangup');
    else if (!row.is_leader) {
      deps.log.warn({ call_id: id }, 'another process leads this call now');
      calls.get(id)?.hang_up.abort('taken_over');
    }
  }
}
