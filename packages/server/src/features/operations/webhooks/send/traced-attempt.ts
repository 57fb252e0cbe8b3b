// A span around every attempt of a delivery. The receiver gets its id in the header `traceparent`.
import type { Tracing } from '../../../../platform/tracing/trace.ts';
import type { Attempter } from './attempt.ts';

/** Without tracing in this process a stored trace is passed on as it is. */
export function tracedAttempter(tracing: Tracing | null, attempt: Attempter): Attempter {
  if (!tracing) return attempt;
  return (message, recipient) => {
    if (message.traceparent === null) return attempt(message, recipient);
    const attributes = {
      'parley.event_type': message.event_type,
      'parley.delivery_id': message.id,
      'parley.subscription_id': message.subscription_id,
      'http.request.method': 'POST',
    };
    const options = { kind: 'client', parent: message.traceparent, attributes } as const;
    return tracing.span('webhook.deliver', options, async (span) => {
      const outcome = await attempt({ ...message, traceparent: span.traceparent }, recipient);
      span.set({ 'http.response.status_code': outcome?.record.status_code ?? null });
      const code = outcome ? outcome.record.error : 'aborted';
      if (code) span.fail(code);
      return outcome;
    });
  };
}
