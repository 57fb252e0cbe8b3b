// Reads what every send needs first: which recipients are suppressed, and the conversation that the email belongs to.
import { batched } from '../../../../platform/batch.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { EmailSuppressions } from '../../email-suppressions/index.ts';
import { conversation_days } from '../threads.ts';

type FactsQuery = {
  organization_id: string;
  addresses: string[];
  /** Null when the conversation is already known. */
  thread_key: string | null;
};
export type SendFacts = {
  suppressed: string[];
  /** The newest conversation with this subject between these addresses. */
  conversation_id: string | null;
};

export function sendFactsStore(deps: {
  db: Database;
  clock: Clock;
  suppressions: Pick<EmailSuppressions, 'amongQuery'>;
}) {
  // Every send needs this query. Sends that arrive together share one, and only one runs at a time, to save connections.
  const read = batched<FactsQuery, SendFacts>(
    async (group) => {
      const organization_ids = group.map((each) => each.organization_id);
      const thread_keys = group.map((each) => each.thread_key);
      const since = new Date(deps.clock.ms() - conversation_days * 86_400_000);
      const rows = await deps.db.rows<{ at: number; suppressed: string; conversation_id: string }>(
        sql.replannedRarely(sql`
        select at, recipient as suppressed, null as conversation_id from (${deps.suppressions.amongQuery(group)}) s
        union all
        select a.at, null, e.conversation_id
          from unnest(${[...group.keys()]}::int[], ${organization_ids}::uuid[], ${thread_keys}::text[])
                 as a (at, organization_id, thread_key),
               lateral (select conversation_id from emails e where e.organization_id = a.organization_id
                           and e.thread_key = a.thread_key and e.requested_at > ${since}::timestamptz
                         order by e.requested_at desc limit 1) e`),
      );
      const facts = group.map((): SendFacts => ({ suppressed: [], conversation_id: null }));
      for (const { at, suppressed, conversation_id } of rows) {
        if (suppressed === null) facts[at]!.conversation_id = conversation_id;
        else facts[at]!.suppressed.push(suppressed);
      }
      return facts;
    },
    { max_flushes: 1 },
  );
  return {
    read: (organization_id: string, query: Omit<FactsQuery, 'organization_id'>) =>
      read({ organization_id, ...query }),
  };
}
export type SendFactsStore = ReturnType<typeof sendFactsStore>;
