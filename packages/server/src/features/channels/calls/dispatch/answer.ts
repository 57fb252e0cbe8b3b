// Waits until a placed call is answered, and ends a call that was not.
import type { Log } from '../../../../platform/log.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import type { GuardedVoice } from '../../../rules/admission/index.ts';
import { ended_early, never_answered, never_opened, service_stopped } from './progress/endings.ts';
import type { CallEnding, CallProgress } from './progress/progress.ts';
import { isOver, type ProgressStore, type RunningCall } from './progress/progress-store.ts';

export type AnswerDeps = {
  store: ProgressStore;
  progress: CallProgress;
  media_clock: MediaClock;
  /** Resolves when all events of this call that arrived so far are stored. */
  eventsWritten(call_id: string): Promise<void>;
  /** How the carrier ended an answered call of this process; null when it has not reported that. */
  reportedEnd(call_id: string): CallEnding | null;
  log: Log;
};

/** How much longer than the ring timeout we wait for the carrier to report it. */
const ring_grace_ms = 10_000;
/** The carrier's event about an end may arrive a moment after the line closed. */
const end_event_timeout_ms = 3000;
const end_event_poll_ms = 50;

/** Resolves to the open line; null when the call ended or was given up before it was answered. */
export async function waitForAnswer(
  { progress, store, media_clock }: AnswerDeps,
  call: RunningCall,
  voice: GuardedVoice,
  provider_call_id: string,
  signal: AbortSignal,
): Promise<MediaSession | null> {
  const hangUp = () => voice.hangUp(provider_call_id).catch(() => {});
  const stopped = Promise.withResolvers<null>();
  const giveUp = async () => {
    if (signal.reason === 'taken_over') return stopped.resolve(null);
    const is_stop = signal.reason === 'force_closed';
    // Before the hang-up: the carrier would report it as a cancellation, which must not become the reason.
    if (is_stop) await progress.endAlone(call, service_stopped).catch(() => {});
    await hangUp();
    // A stop of the service does not wait until the carrier reports the end of the call.
    if (is_stop) stopped.resolve(null);
  };
  if (signal.aborted) void giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  let cancelTimeout = () => {};
  const timeout = new Promise<'timeout'>((resolve) => {
    const timeout_ms = call.ring_timeout_seconds * 1000 + ring_grace_ms;
    cancelTimeout = media_clock.after(timeout_ms, () => resolve('timeout'));
  });
  const media = await Promise.race([voice.media(provider_call_id), timeout, stopped.promise]);
  cancelTimeout();
  signal.removeEventListener('abort', giveUp);
  if (media !== 'timeout') return media;
  await progress.endAlone(call, call.direction === 'outbound' ? never_answered : never_opened);
  if (!(await store.isLedElsewhere(call))) void hangUp();
  return null;
}

/** Ends a call without an answer with the carrier's reason, if the carrier reports one in time. */
export async function endUnanswered(
  deps: AnswerDeps,
  call: RunningCall,
  voice: GuardedVoice,
  signal: AbortSignal,
): Promise<void> {
  const { store, progress } = deps;
  if (signal.reason === 'taken_over') return;
  const deadline_ms = performance.now() + end_event_timeout_ms;
  do {
    await deps.eventsWritten(call.id);
    const found = await store.status(call);
    if (isOver(found)) return;
    if (found!.status === 'in_progress') return endUnopened(deps, call, voice, found!.provider_call_id);
    await new Promise((resolve) => setTimeout(resolve, end_event_poll_ms));
  } while (performance.now() < deadline_ms && signal.reason !== 'force_closed');
  const is_stop = signal.reason === 'force_closed';
  await progress.endAlone(call, is_stop ? service_stopped : ended_early[call.direction]);
}

/**
 * The carrier reported an answer, but no line opened. A person may have hung up at once, as the carrier reports it then. Else
 * the call may go on at the carrier, with a person on a silent line.
 */
async function endUnopened(
  deps: AnswerDeps,
  call: RunningCall,
  voice: GuardedVoice,
  provider_call_id: string | null,
): Promise<void> {
  await deps.eventsWritten(call.id);
  const reported = deps.reportedEnd(call.id);
  // Where every call ends like this, the carrier cannot reach the address of our media sockets.
  deps.log.warn({ call_id: call.id, provider: call.provider }, 'answered call ended before its line opened');
  // Null when another process leads the call, or has ended it and hangs up.
  const ended = await deps.progress.endAlone(call, reported ?? never_opened);
  if (ended && provider_call_id !== null) await voice.hangUp(provider_call_id);
}
