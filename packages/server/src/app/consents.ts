// Builds consents, and connects them with the lists of recipients that the channels do not send to.
import { consentFeature } from '../features/rules/consents/index.ts';
import type { Base } from './events.ts';
import type { Parts, TenancyParts } from './parts.ts';

export const buildConsents = (
  base: Base,
  parts: Parts,
  { audit, sending_rules }: Pick<TenancyParts, 'audit' | 'sending_rules'>,
) =>
  consentFeature({
    ...base,
    audit: audit.log,
    rules: sending_rules,
    // Channels are built after consents.
    attachmentLink: (organization_id, id) => parts.mail.attachmentLink(organization_id, id),
    suppressText: (tx, organization_id, recipient) =>
      parts.sms.suppress(tx, {
        id: base.ids.next(),
        organization_id,
        recipient,
        channel: 'sms',
        reason: 'opt_out',
        source: 'revocation',
        created_at: base.clock.now().toISOString(),
      }),
    suppressEmail: (tx, organization_id, recipient) =>
      parts.mail.suppressEmail(
        organization_id,
        { recipient, reason: 'unsubscribe', source: 'revocation' },
        tx,
      ),
  });
