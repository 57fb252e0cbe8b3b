// A span for every message that arrives. Over SMTP it starts a trace; from a provider or the sandbox it belongs to their request.
import type { Tracing } from '../../../../../platform/tracing/trace.ts';
import type { AcceptMessage } from './accept-message.ts';

export function tracedAccept(tracing: Tracing | null, accept: AcceptMessage): AcceptMessage {
  if (!tracing) return accept;
  return (delivery) => {
    const attributes = {
      'parley.recipients': delivery.recipients.length,
      'parley.reports': delivery.report_paths.length,
      'parley.size_bytes': delivery.raw.length,
    };
    return tracing.span('mail.receive', { kind: 'server', attributes }, async (span) => {
      const acceptance = await accept(delivery);
      if ('refused' in acceptance) span.fail('refused');
      else span.set({ 'parley.outcome': 'accepted', 'parley.id': acceptance.emails[0]?.email_id });
      return acceptance;
    });
  };
}
