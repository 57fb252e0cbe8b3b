// The events of a verification. They never contain answers.
import type { VerificationData } from '@parley/contract/channels/numbers/verification-events';
import type { Transaction } from '../../../platform/db/database.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { VerificationRow } from './verification-row.ts';

export const verificationEventData = (row: VerificationRow, now: Date): VerificationData => ({
  id: row.id,
  kind: row.kind,
  country_code: row.country_code,
  number_type: row.number_type,
  state: row.state,
  rejection_reason: row.rejection_reason,
  problems: row.problems,
  expires_at: row.expires_at,
  occurred_at: now.toISOString(),
});

export const actionRequired = (
  { outbox }: { outbox: Outbox },
  tx: Transaction,
  row: VerificationRow,
  now: Date,
) =>
  outbox.write(tx, [
    {
      type: 'verification.action_required',
      organization_id: row.organization_id,
      resource_id: row.id,
      data: verificationEventData(row, now),
    },
  ]);
