// Search in a large index, compared with a small one: a rare word, a frequent word, and a small organization beside a large one.

import { parseSearch } from '@parley/contract/inbox/search/search-query';
import { nil_uuid } from '@parley/contract/limits';
import type pg from 'pg';
import { searchService } from '../../packages/server/src/features/inbox/search/service.ts';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { costing, type Row, type Run } from '../harness.ts';
import { id_of_n, large, type SizedTable, sizedTable, small } from './sized-tables.ts';

const searches = 60;
const small_organization = '11111111-1111-4111-8111-111111111111';
const small_organization_rows = 1000;

export const searchRows: Row[] = [
  searchRow('search-rare', 'a word of 10 documents', nil_uuid, 'rareword'),
  searchRow('search-common', 'a word of every third document', nil_uuid, 'order'),
  searchRow(
    'search-small-tenant',
    'a frequent word in an organization with 1,000 documents',
    small_organization,
    'order',
  ),
];

function searchRow(name: string, what: string, organization_id: string, word: string): Row {
  return {
    name,
    subject: `${what}, large index, 95th percentile`,
    limit: `the same at ${small.toLocaleString('en')} documents`,
    unit: 'ms/search',
    target: { comparison: '<=', ratio: 2 },
    async prepare(run) {
      const side = async (rows: number) =>
        searchTime(run, await sizedTable(run, 'search', rows, fillIndex), organization_id, word);
      return { limit: await side(small), subject: await side(large[run.scale]) };
    },
  };
}

/** Calls the search in this process instead of the API, because the key of the service belongs to one organization. */
function searchTime(run: Run, { database_url, service }: SizedTable, organization_id: string, word: string) {
  const db = openDatabase({ url: database_url, max_connections: 1 });
  run.stage.atClose(() => db.close());
  const { search } = searchService({
    db,
    emailText: async () => '',
    readContacts: async () => [],
    threadsOf: async (_, id) => [id],
    conversationsOf: async () => new Map(),
    is_on: true,
  });
  const parsed = parseSearch(word);
  if (!('terms' in parsed)) throw new Error(`${word} is not a valid search`);
  const q = parsed.terms;
  return () =>
    costing([service.pid], async () => {
      const times: number[] = [];
      for (let count = 0; count < searches; count++) {
        const start_ms = performance.now();
        const { items, is_partial } = await search(organization_id, { q, limit: 20 }, ['sms', 'contact']);
        times.push(performance.now() - start_ms);
        if (items.length === 0 || is_partial)
          throw new Error(`${word} found ${items.length} items${is_partial ? ', not all in time' : ''}`);
      }
      times.sort((a, b) => a - b);
      return { operations: searches, value: times[Math.floor(searches * 0.95)]! };
    });
}

/** Texts with a frequent word in every third one and a rare word in exactly ten. */
async function fillIndex(database: pg.Client, rows: number): Promise<void> {
  await database.query(
    `insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
       provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
     select ${id_of_n}, case when n % $3::int = 0 then $4::uuid else $1::uuid end, ${id_of_n}, 'inbound', '+15005550001', '+15005550100',
            case when n % 3 = 0 then 'order ' else '' end || case when n % ($2::int / 10) = 5 then 'rareword ' else '' end || 'number ' || n,
            'received', 1, 'gsm7', 'sandbox', to_timestamp(1780000000 + n / 1000.0), '{}', 'carrier', false, 0, 0
       from generate_series(1, $2::int) n`,
    [nil_uuid, rows, rows / small_organization_rows, small_organization],
  );
  // Building the index at the end is much faster than adding to it.
  const index = await database.query<{ definition: string }>(
    `select pg_get_indexdef('search_documents_words'::regclass) as definition`,
  );
  await database.query('drop index search_documents_words');
  await database.query(
    `insert into search_documents (organization_id, id, noun, words)
     select m.organization_id, m.id, 'sms', to_tsvector('simple', m.body || ' ' || w.words)
              || array_to_tsvector(array['o:' || m.organization_id, 'n:sms', 'i:inbound', 'c:' || m.id, 'f:15005550001', 't:15005550100'])
       from sms_messages m,
            lateral (select string_agg('w' || (('x' || substr(md5(m.id::text || k), 1, 6))::bit(24)::int % 20000), ' ') as words
                       from generate_series(1, 20) k) w`,
  );
  await database.query("set maintenance_work_mem = '512MB'");
  await database.query(index.rows[0]!.definition.replace(' ON ONLY ', ' ON '));
}
