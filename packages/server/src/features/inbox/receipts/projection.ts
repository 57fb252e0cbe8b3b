// Notes every new outgoing record, so that it gets a receipt once it was handed over.
import type { ReceiptNoun } from '@parley/contract/inbox/receipts';
import type { Clock } from '../../../platform/clock.ts';
import type { ProjectedRecord, Projection } from '../projector/index.ts';
import { insertDue } from './receipt-store.ts';

/** A rebuild of the projections also sends old records; a record can wait at most 30 days before it is sent. */
const max_age_ms = 32 * 86_400_000;

type Outgoing = Extract<ProjectedRecord, { noun: ReceiptNoun }>;

export const receiptProjection = (deps: { clock: Clock; wake(): void }): Projection => ({
  name: 'receipts',
  nouns: ['email', 'sms', 'call'],
  async project(tx, { records }) {
    const now = deps.clock.now();
    const outgoing = records.filter(
      (record): record is Outgoing =>
        (record.noun === 'email' || record.noun === 'sms' || record.noun === 'call') &&
        record.direction === 'outbound' &&
        now.getTime() - Date.parse(record.requested_at) < max_age_ms,
    );
    if (outgoing.length === 0) return;
    await insertDue(
      tx,
      outgoing.map(({ organization_id, noun, id }) => ({ organization_id, noun, id })),
      now,
    );
    tx.afterCommit(deps.wake);
  },
});
