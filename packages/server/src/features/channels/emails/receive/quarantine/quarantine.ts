// What is stored with a received email that is kept apart.

import type { EmailDecision } from '../../../../rules/receive-rules/index.ts';
import type { Receiver } from '../../../email-domains/index.ts';
import type { Quarantine } from '../store.ts';

export function quarantineOf(
  decision: EmailDecision,
  receivers: readonly { receiver: Receiver; is_loop: boolean }[],
  now: Date,
): Quarantine | null {
  if (decision.action !== 'quarantine') return null;
  return {
    reason: decision.reason,
    rule_id: decision.rule?.id ?? null,
    at: now.toISOString(),
    loop_domain_ids: receivers
      .filter(({ is_loop }) => is_loop)
      .map(({ receiver }) => receiver.email_domain_id),
  };
}
