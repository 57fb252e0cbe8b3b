// The SQL of the search index. Every statement names the organization, and so does every query of the index.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { isStatementTimeout } from '../../../platform/db/database-error.ts';
import { partitionsOf } from '../../../platform/db/partitions.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { ttlCache } from '../../../platform/ttl-cache.ts';
import type { SearchDocument, SearchedNoun } from './document.ts';
import type { IndexQuery } from './index-query.ts';

export type Hit = { id: string; noun: SearchedNoun };

/** How many of the newest documents are compared one by one. It finds frequent words without sorting all that have them. */
const compared_documents = 1000;
const partitions_age_ms = 60_000;

export const writeDocuments = (tx: Transaction, documents: readonly SearchDocument[]) =>
  tx.run(sql`
    insert into search_documents (organization_id, id, noun, words)
    select organization_id, id, noun, words::tsvector
      from unnest(${documents.map((each) => each.organization_id)}::uuid[], ${documents.map((each) => each.id)}::uuid[],
                  ${documents.map((each) => each.noun)}::text[], ${documents.map((each) => each.words)}::text[])
           as d (organization_id, id, noun, words)
    on conflict (organization_id, id) do update set words = excluded.words
     where search_documents.words is distinct from excluded.words`);

export const deleteDocuments = (
  tx: Transaction,
  deleted: readonly { organization_id: string; id: string }[],
) =>
  tx.run(sql`
    delete from search_documents d
     using unnest(${deleted.map((each) => each.organization_id)}::uuid[], ${deleted.map((each) => each.id)}::uuid[])
           as gone (organization_id, id)
     where d.organization_id = gone.organization_id and d.id = gone.id`);

const belongs = (query: IndexQuery, below: string | null) => sql`
  organization_id = ${query.organization_id}
  ${below === null ? sql.empty : sql`and id < ${below}`}
  ${query.from_id === null ? sql.empty : sql`and id >= ${query.from_id}`}`;

/** The matches among the newest documents of the organization, and the oldest of those documents; null when it has no older. */
async function amongNewest(
  db: Queryable,
  query: IndexQuery,
  below: string | null,
  limit: number,
): Promise<{ hits: Hit[]; compared_until: string | null }> {
  const hits = await db.rows<Hit>(
    sql.replanned(sql`
      select id, noun from (
        select id, noun, words from search_documents where ${belongs(query, below)}
         order by id desc limit ${compared_documents}) newest
       where words @@ ${query.words}::tsquery limit ${limit}`),
  );
  if (hits.length === limit) return { hits, compared_until: hits.at(-1)!.id };
  const last = await db.maybe<{ id: string }>(
    sql.replanned(sql`
      select id from search_documents where ${belongs(query, below)}
       order by id desc offset ${compared_documents - 1} limit 1`),
  );
  return { hits, compared_until: last?.id ?? null };
}

/** The newest matches in a range of ids, by the index. */
async function byIndex(
  db: Database,
  query: IndexQuery,
  range: { from: string | null; below: string | null; timeout_ms: number },
  limit: number,
): Promise<Hit[]> {
  return db.transaction(async (tx) => {
    await tx.run(sql`
      select set_config('statement_timeout', ${String(Math.max(1, Math.ceil(range.timeout_ms)))}, true),
             set_config('enable_seqscan', 'off', true)`);
    // The organization is compared outside: otherwise the planner may read all of its documents in order of their ids.
    return tx.rows<Hit>(
      sql.replanned(sql`
        with found as materialized (
          select organization_id, id, noun from search_documents
           where words @@ ${query.words}::tsquery
             ${range.below === null ? sql.empty : sql`and id < ${range.below}`}
             ${range.from === null ? sql.empty : sql`and id >= ${range.from}`})
        select id, noun from found where organization_id = ${query.organization_id}
         order by id desc limit ${limit}`),
    );
  });
}

export function searchStore(db: Database) {
  const starts = ttlCache({
    max_age_ms: partitions_age_ms,
    load: async () =>
      (await partitionsOf(db, 'search_documents'))
        .flatMap(({ from_ms }) => (from_ms === null ? [] : [firstIdAt(new Date(from_ms))]))
        .reverse(),
  });

  return {
    amongNewest: (query: IndexQuery, below: string | null, limit: number) =>
      amongNewest(db, query, below, limit),

    /** Null when the time was up. */
    async byIndex(
      query: IndexQuery,
      range: { from: string | null; below: string | null; timeout_ms: number },
      limit: number,
    ): Promise<Hit[] | null> {
      try {
        return await byIndex(db, query, range, limit);
      } catch (error) {
        if (isStatementTimeout(error)) return null;
        throw error;
      }
    },

    /** The first ids of the partitions, newest first. */
    partitionStarts: (): string[] | Promise<string[]> => starts.get(),
  };
}
export type SearchStore = ReturnType<typeof searchStore>;
