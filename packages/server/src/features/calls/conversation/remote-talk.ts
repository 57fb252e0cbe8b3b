// A conversation that somebody else's agent leads: all there is to do is to wait for its end, and to end it in time.
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import type { CallEnding } from '../dispatch/progress.ts';

/** How a call ends that this process hangs up. */
export const endedBy = (signal: AbortSignal): Omit<CallEnding, 'duration_seconds'> => {
  if (signal.reason === 'force_closed') {
    return {
      trigger: 'broke',
      end_reason: 'force_closed',
      detail: 'The service was stopped during the call.',
    };
  }
  const is_unpaid = signal.reason === 'insufficient_funds';
  return { trigger: 'hung_up', end_reason: is_unpaid ? 'insufficient_funds' : 'api_hangup', detail: null };
};

export async function waitOutside(
  deps: { clock: MediaClock; media: MediaSession; max_duration_seconds: number },
  signal: AbortSignal,
): Promise<CallEnding> {
  const { clock, media } = deps;
  const started_ms = clock.ms();
  const { promise: over, resolve: end } = Promise.withResolvers<Omit<CallEnding, 'duration_seconds'>>();
  const cancelLimit = clock.after(deps.max_duration_seconds * 1000, () =>
    end({ trigger: 'hung_up', end_reason: 'max_duration', detail: null }),
  );
  const hangUp = () => end(endedBy(signal));
  if (signal.aborted) hangUp();
  signal.addEventListener('abort', hangUp, { once: true });
  void media.closed.then((how) =>
    end(
      how.by === 'failure'
        ? { trigger: 'broke', end_reason: 'media_failure', detail: how.detail }
        : {
            trigger: 'hung_up',
            end_reason: how.by === 'us' ? 'agent_hangup' : 'callee_hangup',
            detail: null,
          },
    ),
  );
  const ending = await over;
  cancelLimit();
  signal.removeEventListener('abort', hangUp);
  media.close();
  return { ...ending, duration_seconds: Math.round((clock.ms() - started_ms) / 1000) };
}
