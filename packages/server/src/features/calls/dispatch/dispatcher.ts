// Takes calls from the queue, oldest first, for as long as there are numbers, engines and room; and shows that their
// process is alive.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { untilCut } from '../../../platform/drain.ts';
import type { Log } from '../../../platform/log.ts';
import type { Admission, GuardedCarriers } from '../../admission/index.ts';
import type { PoolService } from '../../numbers/index.ts';
import type { CallProgress } from './progress.ts';
import { isOver, type LedCall, type ProgressStore } from './progress-store.ts';
import type { CallRunner, HangUpReason } from './runner.ts';

const heartbeat_ms = 1000;
/** For calls that other processes took in, and for those that wait until the engines have caught up. */
const look_ms = 1000;

export function callDispatcher(deps: {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  pool: Pick<PoolService, 'claimPoolNumber'>;
  carriers: GuardedCarriers;
  admission: Pick<Admission, 'isStopped'>;
  run: CallRunner;
  /** True while the engines cannot keep up with the calls there are. */
  isBehind(): boolean;
  at_once: number;
  lease_seconds: number;
  clock: Clock;
  log: Log;
}) {
  const { db, store, progress, carriers, clock, log, lease_seconds } = deps;
  const led = new Map<string, { hang_up: AbortController; done: Promise<void> }>();
  const providers = carriers.names().filter((name) => carriers.byName(name)!.voice !== null);
  let taking: Promise<void> | null = null;
  let again = false;
  let is_stopped = false;
  let heartbeat: NodeJS.Timeout | undefined;
  let is_beating = false;
  let looking: NodeJS.Timeout | undefined;

  const hasRoom = () => !is_stopped && led.size < deps.at_once && !deps.isBehind();

  /** A queued call with its number, now dialing and led by this process; null when there is none to take. */
  const take = (): Promise<LedCall | null> =>
    db.transaction(async (tx) => {
      for (const with_pool of [true, false]) {
        const call = await store.next(tx, { with_pool, providers });
        if (!call) continue;
        const number =
          call.from !== null
            ? { e164: call.from, provider: call.provider! }
            : await deps.pool.claimPoolNumber(tx, call.id);
        if (!number) continue;
        const { e164: from, provider } = number;
        const set = { '"from"': from, provider, started_at: clock.now() };
        if (!(await progress.move(tx, call, 'dialed', set, { from, provider }))) return null;
        await store.lead(tx, call, lease_seconds);
        return { ...call, direction: 'outbound', from, provider };
      }
      return null;
    });

  const lead = (call: LedCall) => {
    const hang_up = new AbortController();
    const done = deps
      .run(call, hang_up.signal)
      .catch((error) => log.error({ call_id: call.id, err: error }, 'a call was left to the sweeper'))
      .finally(() => {
        led.delete(call.id);
        kick();
      });
    led.set(call.id, { hang_up, done });
    heartbeat ??= setInterval(() => void beat(), heartbeat_ms);
  };

  /** Also how this process hears that another one wants a call to end. */
  const beat = async () => {
    if (led.size === 0) {
      clearInterval(heartbeat);
      heartbeat = undefined;
      return;
    }
    // A database that is slow for a moment must not be asked twice for the same rows.
    if (is_beating) return;
    is_beating = true;
    try {
      for (const { id, status, is_unwanted } of await store.renew([...led.keys()], lease_seconds)) {
        if (isOver({ status }) || is_unwanted) led.get(id)?.hang_up.abort('api_hangup');
      }
    } catch (error) {
      log.warn({ err: error }, 'the calls of this process cannot be renewed');
    } finally {
      is_beating = false;
    }
  };

  const takeAll = async () => {
    do {
      again = false;
      // While the kill switch is on, calls stay in the queue until they have waited too long.
      while (hasRoom() && !(await deps.admission.isStopped('calls'))) {
        const call = await take();
        if (!call) break;
        lead(call);
      }
    } while (again);
  };

  const drain = (): Promise<void> => {
    again = true;
    taking ??= takeAll().finally(() => {
      taking = null;
    });
    return taking;
  };

  function kick(): void {
    drain().catch((error) => log.warn({ err: error }, 'calls cannot be taken from the queue; trying again'));
  }

  return {
    drain,
    kick,
    hasRoom,
    /** How many calls this process leads. */
    leading: () => led.size,
    /** A call to us, which waits in no queue. */
    lead,
    /** Each process looks for itself: one that is full must not look in the place of one that has room. */
    start() {
      if (deps.at_once > 0) looking = setInterval(kick, look_ms);
    },
    /** Nothing happens when another process leads the call: it hears of it by its heartbeat. */
    hangUp(call_id: string, reason: HangUpReason) {
      led.get(call_id)?.hang_up.abort(reason);
    },
    /** Ends every call. One that does not end before the cut is left to the sweeper of another process or the next start. */
    async stop(cut?: AbortSignal): Promise<void> {
      is_stopped = true;
      clearInterval(looking);
      if (taking)
        await untilCut(
          taking.catch(() => {}),
          cut,
        );
      const ending = [...led.values()];
      for (const { hang_up } of ending) hang_up.abort('force_closed');
      const in_time = await untilCut(Promise.all(ending.map(({ done }) => done)), cut);
      if (!in_time) log.warn({ calls: led.size }, 'calls are left to the sweeper');
      clearInterval(heartbeat);
    },
  };
}
export type CallDispatcher = ReturnType<typeof callDispatcher>;
