// The SQL of the timeline of a verification.
import type {
  VerificationEvent,
  VerificationEventKind,
  VerificationProblem,
} from '@parley/contract/channels/numbers/verification-records';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Ref } from './verification-row.ts';

const list = cursors('verification_events');

export function timelineStore(db: Database, ids: Ids) {
  return {
    add: (
      tx: Transaction,
      ref: Ref & { attempt: number },
      kind: VerificationEventKind,
      now: Date,
      problems: readonly VerificationProblem[] = [],
    ) =>
      tx.run(sql`
        insert into verification_events (id, organization_id, verification_id, kind, attempt, problems, created_at)
        values (${ids.next()}, ${ref.organization_id}, ${ref.id}, ${kind}, ${ref.attempt},
                ${JSON.stringify(problems)}, ${now})`),

    list: (organization_id: string, id: string, page: PageRequest) =>
      readPage<VerificationEvent>(db, list, page, {
        columns: sql`id, kind, attempt, problems, iso(created_at) as created_at`,
        from: sql`verification_events`,
        where: sql`organization_id = ${organization_id} and verification_id = ${id}`,
      }),

    /** What the carrier said when it rejected the verification last. */
    lastProblems: async ({ organization_id, id }: Ref): Promise<VerificationProblem[]> => {
      const last = await db.maybe<Pick<VerificationEvent, 'problems'>>(sql`
        select problems from verification_events
         where organization_id = ${organization_id} and verification_id = ${id} and kind in ('rejected', 'revoked')
         order by id desc limit 1`);
      return last?.problems ?? [];
    },
  };
}
export type TimelineStore = ReturnType<typeof timelineStore>;
