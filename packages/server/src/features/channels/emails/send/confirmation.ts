// Corrects an email that was closed as unconfirmed, once it is known that the transport accepted the message.
import { emailLifecycle } from '@parley/contract/channels/emails/email-records';
import type { Transaction } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Mover } from '../../../../platform/lifecycle.ts';
import type { CountOutcome } from '../../../../platform/metrics.ts';
import { type LockedEmail, reportStore } from '../delivery-reports/store.ts';
import type { TimelineStore } from '../timeline-store.ts';

/** What proved it, and the transport's ids of the message where they are known. */
export type Confirmation = {
  sent_at: string;
  confirmed_by: string;
  provider_message_id?: string | undefined;
  message_id?: string | undefined;
};

export const isUnconfirmed = (email: Pick<LockedEmail, 'status' | 'end_reason'>): boolean =>
  email.status === 'failed' && email.end_reason === 'unconfirmed';

/** The row of the email must be locked, and unconfirmed. */
export async function confirmEmail(
  tx: Transaction,
  deps: { ids: Ids; timeline: TimelineStore; move: Mover; countOutcome: CountOutcome },
  email: LockedEmail & { organization_id: string },
  { sent_at, confirmed_by, provider_message_id, message_id }: Confirmation,
): Promise<void> {
  const { organization_id, id } = email;
  const moved = await deps.move(tx, {
    lifecycle: emailLifecycle,
    table: 'emails',
    organization_id,
    id,
    trigger: 'confirmed',
    set: {
      end_reason: null,
      failed_at: null,
      last_outcome: 'sent',
      sent_at,
      ...(provider_message_id ? { provider_message_id } : {}),
      ...(message_id ? { message_id } : {}),
    },
    returning: reportStore.only_id,
  });
  if (!moved) return;
  tx.afterCommit(() => deps.countOutcome('email', 'outbound', 'sent', 'confirmed_later'));
  await deps.timeline.add(tx, [
    {
      id: deps.ids.next(),
      organization_id,
      email_id: id,
      kind: 'sent',
      occurred_at: sent_at,
      detail: { provider: email.provider, confirmed_by },
      dedupe_key: 'sent',
      counted: ['sent'],
    },
  ]);
}
