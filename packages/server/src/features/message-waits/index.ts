// Requests that wait for a message to come in, whatever its channel.
import type { Clock } from '../../platform/clock.ts';
import type { Context } from '../../platform/http/context.ts';
import { waiters } from '../../platform/http/waiters.ts';

export { verificationCode } from './verification-code.ts';

export type WaitWish = { since?: string | undefined; timeout_seconds: number };

export function messageWaits(deps: { clock: Clock; draining?: AbortSignal }) {
  const { draining } = deps;
  const waiting = waiters({
    per_process: 500,
    per_organization: 50,
    ...(draining ? { draining } : {}),
  });
  return {
    /** Something came in for this organization. */
    notify: waiting.notify,

    /** The first message that `look` finds from a moment on, by default from now; null when the time is up or the process stops. */
    until<T>(
      organization_id: string,
      wish: WaitWish,
      context: Pick<Context, 'onClose'>,
      look: (since: Date) => Promise<T | null>,
    ): Promise<T | null> {
      const since = wish.since === undefined ? deps.clock.now() : new Date(wish.since);
      return waiting.until(organization_id, () => look(since), {
        timeout_ms: wish.timeout_seconds * 1000,
        onClose: context.onClose,
      });
    },
  };
}
export type MessageWaits = ReturnType<typeof messageWaits>;
