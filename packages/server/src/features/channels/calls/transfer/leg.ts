// The call to the colleague of a transfer: a call of its own, with the same rules, funds and leases as every other call.
import type { CallEndReason } from '@parley/contract/channels/calls/call-records';
import type { TransferFailure } from '@parley/contract/channels/calls/call-transfers';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import { admissionText, stoppedBecause } from '../../../rules/admission/index.ts';
import { waitForLineEnd } from '../conversation/line-end.ts';
import type { DialResult } from '../conversation/transfer/transfer-port.ts';
import { endUnanswered } from '../dispatch/answer.ts';
import { admitCall, dial } from '../dispatch/dial.ts';
import { ledLine } from '../dispatch/led-line.ts';
import { failedSetup, insufficient_funds, setupError } from '../dispatch/progress/endings.ts';
import { isOver, type RunningCall } from '../dispatch/progress/progress-store.ts';
import type { RunnerDeps } from '../dispatch/runner.ts';

export type LegDeps = Omit<RunnerDeps, 'engines' | 'tracing' | 'transferPort'>;

const failures: Partial<Record<CallEndReason, TransferFailure>> = {
  busy: 'busy',
  rejected: 'declined',
  ring_timeout: 'no_answer',
  unreachable: 'unreachable',
  canceled: 'no_answer',
  not_allowed: 'not_allowed',
  insufficient_funds: 'not_allowed',
  llm_not_configured: 'not_allowed',
};
export const failureOf = (end_reason: CallEndReason | null): TransferFailure =>
  (end_reason && failures[end_reason]) ?? 'carrier_error';

/** Runs the call to its end. `answered` gets the open line, or the reason why there is none. */
export async function runLeg(
  deps: LegDeps,
  leg: RunningCall,
  signal: AbortSignal,
  answered: (result: DialResult) => void,
): Promise<void> {
  try {
    const opened = await openLeg(deps, leg, signal);
    if (!opened) {
      const ended = await deps.store.status(leg);
      answered({ outcome: 'failed', failure: failureOf(ended?.end_reason ?? null) });
      return;
    }
    answered({ outcome: 'answered', media: opened.media });
    await deps.progress.endAlone(leg, await opened.ending);
  } catch (error) {
    await deps.progress.endAlone(leg, failedSetup(error as Error)).catch(() => {});
    throw error;
  } finally {
    answered({ outcome: 'failed', failure: 'carrier_error' });
  }
}

/** Null when the call ended without an open line. */
async function openLeg(deps: LegDeps, leg: RunningCall, signal: AbortSignal) {
  const { progress, meter, media_clock: clock } = deps;
  const voice = deps.carriers.byName(leg.provider)?.voice;
  if (!voice) {
    const detail = `The carrier ${leg.provider} is not set up for calls.`;
    await progress.endAlone(leg, setupError(detail, 'service'));
    return null;
  }
  const decision = await admitCall(deps, leg, { is_counted_later: true });
  if (decision.outcome !== 'allow') {
    const { check, detail } = stoppedBecause(decision);
    const set = { admission: admissionText(decision) };
    await progress.endAlone(leg, { trigger: 'broke', end_reason: decision.reason, detail, check, set });
    return null;
  }
  const funds = await meter.reserve(leg);
  if (funds === 'insufficient_funds') await progress.endAlone(leg, insufficient_funds);
  if (funds === 'over' || funds === 'insufficient_funds') return null;
  const dialed = await dial(deps, leg, voice, signal);
  if (dialed === 'over') return null;
  const { call } = dialed;
  if (!dialed.media) {
    await endUnanswered(deps, leg, voice, signal);
    return null;
  }
  const media = ledLine(dialed.media, signal);
  await deps.db.transaction((tx) => progress.answered(tx, leg, { answered_by: null }, {}));
  if (isOver(await deps.store.status(leg))) {
    media.close();
    return null;
  }
  const metering = funds === 'free' ? null : meter.start(call, clock.ms(), signal);
  return {
    media,
    ending: untilOver(deps, call, media, metering?.signal ?? signal).finally(() => metering?.stop()),
  };
}

const untilOver = (
  { media_clock: clock }: LegDeps,
  { plan: { max_duration_seconds } }: RunningCall,
  media: MediaSession,
  signal: AbortSignal,
) => waitForLineEnd({ clock, media, max_duration_seconds }, signal);
