// Requests that wait for the next received message, of any channel.
import type { Clock } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/http/context.ts';
import { waiters } from '../../../platform/http/waiters.ts';

export { verificationCode } from './verification-code.ts';

/** The text of an email in which a code may be. */
export const codeText = (email: { subject: string; extracted_text: string | null }): string =>
  `${email.subject}\n${email.extracted_text ?? ''}`;

export type WaitOptions = { since?: string | undefined; timeout_seconds: number };

export function messageWaits(deps: { clock: Clock; draining?: AbortSignal }) {
  const { draining } = deps;
  const waiting = waiters({
    per_process: 500,
    per_organization: 50,
    ...(draining ? { draining } : {}),
  });
  return {
    /** Call it when the organization received a message. */
    notify: waiting.notify,

    /** The first message since a time (default: now) that `find` returns; null after the timeout or when the process stops. */
    until<T>(
      organization_id: string,
      options: WaitOptions,
      context: Pick<Context, 'onClose'>,
      find: (since: Date) => Promise<T | null>,
    ): Promise<T | null> {
      const since = options.since === undefined ? deps.clock.now() : new Date(options.since);
      return waiting.until(organization_id, () => find(since), {
        timeout_ms: options.timeout_seconds * 1000,
        onClose: context.onClose,
      });
    },
  };
}
export type MessageWaits = ReturnType<typeof messageWaits>;
