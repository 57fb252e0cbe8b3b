// Ends calls that would stay open forever: calls whose process is gone, and calls that waited too long.
import type { Log } from '../../../../../platform/log.ts';
import type { CallOrder } from '../../../../../providers/carrier/carrier.ts';
import type { GuardedCarriers } from '../../../../rules/admission/index.ts';
import { followKillSwitch, type KillSwitchDeps } from '../../waiting/kill-switch.ts';
import { setupError } from '../progress/endings.ts';
import type { LostCall, ProgressStore } from '../progress/progress-store.ts';

const batch = 100;
/** When the carrier cannot be reached for this long, the call is closed without its confirmation. */
const carrier_timeout_seconds = 120;

/** A scheduled call may be this late when the kill switch was on at its time. */
const stopped_scheduled_seconds = 24 * 3600;

type SweeperDeps = KillSwitchDeps & {
  store: ProgressStore;
  carriers: GuardedCarriers;
  log: Log;
  queue_seconds: number;
  /** This process, which leads a lost call until it is closed. */
  leader_id: string;
};

export function callSweeper(deps: SweeperDeps) {
  return {
    async sweep(): Promise<void> {
      for (const call of await deps.store.lost(batch)) await closeLost(deps, call);
      await failWaiting(deps);
    },
    failWaiting: () => failWaiting(deps),
    /** When the oldest queued call will have waited too long. */
    async nextDue(): Promise<Date | null> {
      const oldest = await deps.store.oldestQueued();
      return oldest && new Date(oldest.getTime() + deps.queue_seconds * 1000);
    },
  };
}

async function closeLost(deps: SweeperDeps, lost_call: LostCall): Promise<void> {
  const { db, store, progress, log, leader_id } = deps;
  // From here on a leader that was only slow cannot renew its lease, so two processes never decide about one call.
  if (!(await store.takeOver(lost_call, leader_id))) return;
  const call = { ...lost_call, leader_id };
  const is_down = await hangUpAtCarrier(deps, call);
  if (!is_down && call.lost_seconds < carrier_timeout_seconds) return;
  const closed = await db.transaction(async (tx) => {
    const lost = await store.lockLost(tx, call);
    if (!lost) return null;
    return progress.end(tx, call, {
      trigger: 'broke',
      end_reason: 'force_closed',
      detail: is_down
        ? 'The process that ran the call is gone.'
        : 'The process that ran the call is gone, and the carrier did not confirm the end.',
      duration_seconds: progress.secondsSince(lost.answered_at),
    });
  });
  if (closed) log.warn({ call_id: call.id }, 'lost call closed');
}

/** Hangs the call up at the carrier if it is still live there. False: not confirmed, try again later. */
async function hangUpAtCarrier({ carriers, store }: SweeperDeps, call: LostCall): Promise<boolean> {
  const carrier = call.provider === null ? null : carriers.byName(call.provider);
  if (!carrier) return true;
  let { provider_call_id } = call;
  if (provider_call_id === null) {
    // The process may have crashed between the carrier's response and storing it.
    const isKnown = (id: string) => store.isKnown(carrier.name, id);
    const found = await carrier.voice?.find(lookupOrder(call), { since: call.started_at, isKnown });
    // If the call exists after all, the carrier's next event about it makes us hang up.
    if (!found || found.outcome === 'absent' || found.outcome === 'cannot_tell') return true;
    if (found.outcome !== 'found') return false;
    provider_call_id = found.provider_call_id;
  }
  const state = await carrier.callState(provider_call_id);
  if (state.outcome === 'ended') return true;
  if (state.outcome !== 'live') return false;
  const hung_up = await carrier.voice?.hangUp(provider_call_id);
  return hung_up?.outcome === 'ended' || hung_up?.outcome === 'already_ended';
}

const lookupOrder = ({ id: call_id, from, to }: LostCall): CallOrder => ({
  call_id,
  from,
  to,
  ring_timeout_seconds: 0,
  max_duration_seconds: 0,
});

/** Ends calls that waited for longer than allowed: in the queue, or because of the kill switch. */
async function failWaiting(deps: SweeperDeps): Promise<void> {
  const { store, progress, clock, queue_seconds } = deps;
  await followKillSwitch(deps);
  const ago = (seconds: number) => new Date(clock.ms() - seconds * 1000);
  const latest = ago(queue_seconds);
  const waited = `The call waited ${queue_seconds} s in the queue`;
  for (const call of await store.waitingSince(latest, batch)) {
    const detail = `${waited}.`;
    const is_numbered = call.from !== null;
    await progress.endAlone(
      call,
      is_numbered
        ? setupError(detail, 'service')
        : { trigger: 'broke', end_reason: 'no_number_available', detail },
    );
  }
  for (const call of await store.stoppedSince(latest, ago(stopped_scheduled_seconds), batch)) {
    const detail = 'The call was not dialed in time, because the kill switch was on.';
    await progress.endAlone(call, {
      trigger: 'broke',
      end_reason: 'not_allowed',
      detail,
      check: 'kill_switch',
    });
  }
}
