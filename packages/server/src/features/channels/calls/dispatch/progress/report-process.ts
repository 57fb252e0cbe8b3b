// Reports to the other processes how many calls this one can take, while it runs calls and others can reach it.
import type { Log } from '../../../../../platform/log.ts';
import type { ProcessStore } from '../queue/leader-store.ts';

const report_ms = 2000;

export function reportProcess(deps: {
  store: Pick<ProcessStore, 'report' | 'remove' | 'removeOld'>;
  leader_id: string;
  /** Null where other processes cannot reach this one. */
  internal_url: string | null;
  at_once: number;
  /** How many more calls this process can take now. */
  free(): number;
  log: Log;
}) {
  const { store, internal_url: url } = deps;
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    void store
      .report({ id: deps.leader_id, url: url!, free_calls: deps.free() })
      .catch((error) => deps.log.warn({ err: error }, 'capacity for calls not reported'));
  };
  return {
    start(): void {
      if (url === null || deps.at_once === 0) return;
      store.removeOld().catch(() => {});
      report();
      timer = setInterval(report, report_ms);
    },
    async stop(): Promise<void> {
      if (!timer) return;
      clearInterval(timer);
      // A process that is killed is left out after some seconds.
      await store.remove(deps.leader_id).catch(() => {});
    },
  };
}
