// A call on which no agent of ours speaks, such as the call to a colleague: waits for its end and limits its duration.
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import type { MediaEnd, MediaSession } from '../../../../providers/media/media-session.ts';
import { endedBySignal } from '../dispatch/progress/endings.ts';
import type { CallEnding } from '../dispatch/progress/progress.ts';

/** Resolves when the call is over and the line is closed. */
export async function waitForLineEnd(
  deps: { clock: MediaClock; media: MediaSession; max_duration_seconds: number },
  signal: AbortSignal,
): Promise<CallEnding> {
  const { clock, media } = deps;
  const started_ms = clock.ms();
  const { promise: over, resolve: end } = Promise.withResolvers<Omit<CallEnding, 'duration_seconds'>>();
  const cancelLimit = clock.after(deps.max_duration_seconds * 1000, () =>
    end({ trigger: 'hung_up', end_reason: 'max_duration', detail: null }),
  );
  const hangUp = () => end(endedBySignal(signal));
  if (signal.aborted) hangUp();
  signal.addEventListener('abort', hangUp, { once: true });
  void media.closed.then((media_end) => end(endedByLine(media_end)));
  const ending = await over;
  cancelLimit();
  signal.removeEventListener('abort', hangUp);
  media.close();
  return { ...ending, duration_seconds: Math.round((clock.ms() - started_ms) / 1000) };
}

function endedByLine(end: MediaEnd): Omit<CallEnding, 'duration_seconds'> {
  if (end.by === 'failure') return { trigger: 'broke', end_reason: 'media_failure', detail: end.detail };
  const end_reason = end.by === 'us' ? 'agent_hangup' : 'callee_hangup';
  return { trigger: 'hung_up', end_reason, detail: null };
}
