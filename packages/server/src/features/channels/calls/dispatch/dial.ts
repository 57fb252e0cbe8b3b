// Places an outbound call at the carrier, and finds it there again when the carrier's response was lost.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { untilCut } from '../../../../platform/drain.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { CallOrder } from '../../../../providers/carrier/carrier.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import {
  type Admission,
  type AdmissionRequest,
  admissionText,
  type GuardedVoice,
  type HandOverDecision,
  handOverTerms,
  refusedAtCommit,
  type Stopped,
  stoppedBecause,
} from '../../../rules/admission/index.ts';
import type { PoolService } from '../../numbers/index.ts';
import { stopped_hold } from '../waiting/kill-switch.ts';
import { callRequest } from '../waiting/payload.ts';
import { type AnswerDeps, waitForAnswer } from './answer.ts';
import type { Requeue } from './progress/progress.ts';
import { isOver, type RunningCall } from './progress/progress-store.ts';

export type DialDeps = AnswerDeps & {
  db: Database;
  pool: Pick<PoolService, 'noteCarrierCall'>;
  admission: Pick<Admission, 'admit'>;
  clock: Clock;
};

const place_attempts = 3;
const longest_busy_pause_seconds = 10;
/** A call that was placed may appear in the carrier's list a moment later, so one negative answer is not enough. */
const absent_answers = 3;
const find_pause_ms = { first: 500, longest: 5000 };

export type Dialed = {
  /** The open line; null when the call ended without an answer. */
  media: MediaSession | null;
  /** With the length that the rules allow. */
  call: RunningCall;
};

/** `over`: the call is not placed. */
export async function dial(
  deps: DialDeps,
  call: RunningCall,
  voice: GuardedVoice,
  signal: AbortSignal,
): Promise<Dialed | 'over'> {
  const { progress, store } = deps;
  const since = deps.clock.now();
  const placed = await place(deps, call, voice, signal);
  if (placed.outcome === 'over') return 'over';
  if (placed.outcome === 'stopped') {
    await stopAtRule(deps, call, placed.decision);
    return 'over';
  }
  let provider_call_id = placed.outcome === 'placed' ? placed.provider_call_id : null;
  if (placed.outcome === 'lost') {
    await progress.note(call, 'went_wrong', { detail: `The carrier’s response was lost: ${placed.detail}` });
    provider_call_id = await findPlaced(deps, call, voice, since, signal);
  }
  if (provider_call_id === null) {
    const end_reason = placed.outcome === 'refused' ? 'setup_error' : 'trunk_failure';
    const detail = 'detail' in placed ? placed.detail : null;
    await progress.endAlone(call, { trigger: 'broke', end_reason, detail });
    return 'over';
  }
  // Started before the writes below: the call may be answered and over before they are done.
  const answered = waitForAnswer(deps, call, voice, provider_call_id, signal);
  // It may fail before it is awaited below.
  answered.catch(() => {});
  try {
    if ((await store.placed(call, provider_call_id)) > 0)
      await deps.pool.noteCarrierCall(deps.db, call.id, provider_call_id);
    const { max_duration_seconds } = placed.limited.plan;
    const cut = max_duration_seconds < call.plan.max_duration_seconds ? { max_duration_seconds } : {};
    await placed.notePlaced({ provider_call_id, ...cut });
  } catch (error) {
    // The caller of this function ends the call with this error, so the line is not needed.
    answered.then((media) => media?.close()).catch(() => {});
    throw error;
  }
  return { media: await answered, call: placed.limited };
}

type Counting = Pick<AdmissionRequest, 'was_counted' | 'is_counted_later'>;

export const admitCall = (deps: DialDeps, call: RunningCall, counting: Counting) =>
  deps.admission.admit('hand_over', {
    ...callRequest({ ...call, from: hasPoolNumber(call) ? null : call.from }),
    longest_minutes: Math.ceil(call.plan.max_duration_seconds / 60),
    ...handOverTerms(call.terms),
    ...(call.leg_origin === 'agent' ? { origin: 'agent', consent: 'configured' } : {}),
    ...counting,
  });

const hasPoolNumber = (call: RunningCall) => call.direction === 'outbound' && call.has_pool_number;

/** A rule may allow only a part of the length that the request asked for. */
export function limitCall<C extends Pick<RunningCall, 'plan'>>(
  call: C,
  { max_duration_seconds: allowed }: { max_duration_seconds: number | null },
): C {
  const { plan } = call;
  if (allowed === null || allowed >= plan.max_duration_seconds) return call;
  return { ...call, plan: { ...plan, max_duration_seconds: allowed } };
}

/** A rule stopped the call before the carrier was called. */
export async function stopAtRule(deps: DialDeps, call: RunningCall, decision: Stopped): Promise<void> {
  const { check, detail } = stoppedBecause(decision);
  const admission = admissionText(decision);
  // The kill switch was turned on after the call was claimed, or another rule lets it wait.
  // A colleague is called now or not at all: somebody waits on the line.
  if (decision.hold && call.leg_origin === undefined) {
    const hold = check === 'kill_switch' ? stopped_hold : decision.hold;
    const { commit, terms } = decision;
    if (await isHeld(deps, call, { check, detail, admission, hold, terms, commit })) return;
  }
  const end_reason = decision.reason;
  await deps.progress.endAlone(call, { trigger: 'broke', end_reason, detail, check, set: { admission } });
}

/** False when a limit does not allow another record that waits. */
async function isHeld({ progress }: DialDeps, call: RunningCall, why: Requeue): Promise<boolean> {
  try {
    await progress.requeue(call, why);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}

/** Checks the rules before each attempt: a busy carrier may have delayed it. */
async function place(deps: DialDeps, call: RunningCall, voice: GuardedVoice, signal: AbortSignal) {
  for (let attempt = 1; ; attempt++) {
    const decision = await allow(deps, call, { was_counted: attempt > 1 });
    if (decision === null) {
      await deps.progress.releaseBudgets(call);
      return { outcome: 'over' } as const;
    }
    if (decision.outcome !== 'allow') return { outcome: 'stopped', decision } as const;
    const limited = limitCall(call, decision);
    // A call that fails immediately may be over before the entry is stored; it still comes before the entry of the end.
    const notePlaced = deps.progress.noteFromNow(call, 'placed');
    const placed = await voice.place(orderOf(limited), decision.admitted);
    if (placed.outcome !== 'busy' || attempt >= place_attempts || signal.aborted)
      return { ...placed, notePlaced, limited };
    const pause_seconds = Math.min(placed.retry_after_seconds, longest_busy_pause_seconds);
    await pause(deps.media_clock, pause_seconds * 1000, signal);
  }
}

/**
 * The decision, stored before the carrier is called: afterwards an event of the carrier or a crash may come before our own
 * write. What must be counted is counted in the same transaction. Null when the call is over.
 */
async function allow(
  deps: DialDeps,
  call: RunningCall,
  counting: Counting,
): Promise<HandOverDecision | null> {
  const decision = await admitCall(deps, call, counting);
  if (decision.outcome !== 'allow') return decision;
  const { commit } = decision;
  const text = admissionText(decision);
  if (!commit) return (await deps.store.admitted(call, text)) ? decision : null;
  try {
    return await deps.db.transaction(async (tx) => {
      if (!(await deps.store.admitted(call, text, tx))) return null;
      await commit(tx);
      return decision;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusedAtCommit(decision, error);
  }
}

/**
 * The carrier's response was lost, so the call may exist there or not. It is never placed again. Its id comes from the
 * carrier's list or from an event of the carrier; null when neither has it.
 */
async function findPlaced(
  { store, media_clock }: DialDeps,
  call: RunningCall,
  voice: GuardedVoice,
  since: Date,
  signal: AbortSignal,
): Promise<string | null> {
  const isKnown = (id: string) => store.isKnown(call.provider, id);
  const until_ms = media_clock.ms() + call.ring_timeout_seconds * 1000;
  let absent = 0;
  let pause_ms = find_pause_ms.first;
  while (!signal.aborted && media_clock.ms() < until_ms) {
    const known = await store.status(call);
    if (isOver(known)) return null;
    if (known?.provider_call_id) return known.provider_call_id;
    const found = await voice.find(orderOf(call), { since, isKnown });
    if (found.outcome === 'found') return found.provider_call_id;
    if (found.outcome === 'absent' && ++absent === absent_answers) return null;
    await pause(media_clock, pause_ms, signal);
    pause_ms = Math.min(2 * pause_ms, find_pause_ms.longest);
  }
  return null;
}

const orderOf = (call: RunningCall): CallOrder => ({
  call_id: call.id,
  from: call.from,
  to: call.to,
  ring_timeout_seconds: call.ring_timeout_seconds,
  max_duration_seconds: call.plan.max_duration_seconds,
});

/** Ends early when the call is hung up. */
const pause = (clock: MediaClock, ms: number, signal: AbortSignal) =>
  untilCut(new Promise<void>((resolve) => clock.after(ms, resolve)), signal);
