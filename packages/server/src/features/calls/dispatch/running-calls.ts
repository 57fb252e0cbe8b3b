// The calls that this process runs. It owns their leases and renews them, so that no other process closes them as lost.
import { untilCut } from '../../../platform/drain.ts';
import type { Log } from '../../../platform/log.ts';
import type { HangUpReason } from './endings.ts';
import { isOver, type ProgressStore, type RunningCall } from './progress-store.ts';
import type { CallRunner } from './runner.ts';

const heartbeat_ms = 1000;

export type RunningCalls = ReturnType<typeof runningCalls>;

export function runningCalls(deps: {
  store: Pick<ProgressStore, 'renew'>;
  run: CallRunner;
  lease_seconds: number;
  log: Log;
  /** A call is over, and this process has capacity for another one. */
  onEnd(): void;
}) {
  const { store, log } = deps;
  const calls = new Map<string, { hang_up: AbortController; done: Promise<void> }>();
  let heartbeat: NodeJS.Timeout | undefined;
  let is_renewing = false;

  /** The rows also show which calls another process ended or requested to hang up. */
  const renewLeases = async (): Promise<void> => {
    for (const { id, status, is_hang_up_requested } of await store.renew(
      [...calls.keys()],
      deps.lease_seconds,
    )) {
      if (isOver({ status }) || is_hang_up_requested) calls.get(id)?.hang_up.abort('api_hangup');
    }
  };

  const beat = (): void => {
    if (calls.size === 0) {
      clearInterval(heartbeat);
      heartbeat = undefined;
      return;
    }
    // A slow database must not get a second update of the same rows.
    if (is_renewing) return;
    is_renewing = true;
    void renewLeases()
      .catch((error) => log.warn({ err: error }, 'call leases not renewed'))
      .finally(() => {
        is_renewing = false;
      });
  };

  return {
    count: () => calls.size,

    start(call: RunningCall): void {
      const hang_up = new AbortController();
      const done = deps
        .run(call, hang_up.signal)
        .catch((error) => log.error({ call_id: call.id, err: error }, 'call left to the sweeper'))
        .finally(() => {
          // A call that went back to the queue may have been claimed again meanwhile.
          if (calls.get(call.id)?.hang_up === hang_up) calls.delete(call.id);
          deps.onEnd();
        });
      calls.set(call.id, { hang_up, done });
      heartbeat ??= setInterval(beat, heartbeat_ms);
    },

    /** Does nothing when another process runs the call: that process reads the request at its next heartbeat. */
    hangUp(call_id: string, reason: HangUpReason): void {
      calls.get(call_id)?.hang_up.abort(reason);
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
