// Recipient limits: how many new people an organization contacts per day, and how much one person gets without answering.
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { KnownParties } from '../known-parties/index.ts';
import {
  type Counted,
  type Counting,
  countRecipients,
  type RecipientLimits,
  uncountRecipients,
} from './count.ts';
import { recipientLimitStore } from './store.ts';

export type { Counted } from './count.ts';
export { recipientLimitPersonalData } from './personal-data-store.ts';

const day_ms = 86_400_000;

export function recipientLimitFeature(deps: { db: Database; clock: Clock; known_parties: KnownParties }) {
  const store = recipientLimitStore(deps.db);
  const { clock } = deps;
  const ago = (days: number) => new Date(clock.ms() - days * day_ms);
  const jobs: JobHandler[] = [
    { kind: 'forget_recipient_uses', every_seconds: 86_400, run: () => store.forgetBefore(ago(2)) },
  ];
  return {
    jobs,
    count: (tx: Transaction, counting: Counting, limits: RecipientLimits) =>
      countRecipients({ ...deps, store }, tx, counting, limits),
    uncount: (tx: Transaction, counting: Counting, counted: Counted) =>
      uncountRecipients({ ...deps, store }, tx, counting, counted),
  };
}
export type RecipientLimiter = Pick<ReturnType<typeof recipientLimitFeature>, 'count' | 'uncount'>;
