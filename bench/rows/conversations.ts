// Pages of conversations and of the items of one long conversation, at many items compared with few.
import { nil_uuid } from '@parley/contract/limits';
import type pg from 'pg';
import type { Row } from '../harness.ts';
import { id_of_n, large, pageTime, type SizedTable, sizedTable, small } from './sized-tables.ts';

const page_size = 50;
/** Half of all items are in one conversation; each of the others has five. */
const long_conversation = '22222222-2222-8222-8222-222222222222';
const items_of_others = 5;

export const conversationRows: Row[] = [
  row('conversation-list', 'first page of 50 conversations', () => `/v1/conversations?limit=${page_size}`),
  row(
    'conversation-items',
    'newest 50 items of a conversation with half of all items',
    () => `/v1/conversations/${long_conversation}/items?limit=${page_size}`,
  ),
];

function row(name: string, subject: string, pathOf: () => string): Row {
  return {
    name,
    subject: `${subject}, many items`,
    limit: `the same at ${small.toLocaleString('en')} items`,
    unit: 'ms/page',
    target: { comparison: '<=', ratio: 1.25 },
    async prepare(run) {
      const side = async (rows: number) => {
        const table = await sizedTable(run, 'conversations', rows, fillConversations);
        await expectFullPage(table, pathOf());
        return pageTime(run, table, [pathOf()]);
      };
      return { limit: await side(small), subject: await side(large[run.scale]) };
    },
  };
}

const conversation_of_n = `case when n % 2 = 0 then '${long_conversation}'::uuid
  else (substr(md5('c' || n / 2 / ${items_of_others}), 1, 12) || '8' || substr(md5('c' || n / 2 / ${items_of_others}), 14, 3) || '8'
        || substr(md5('c' || n / 2 / ${items_of_others}), 18))::uuid end`;

/** In one transaction, so that the projector of the service does not see the texts before their items. */
async function fillConversations(database: pg.Client, rows: number): Promise<void> {
  await database.query('begin');
  await database.query(
    `insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
       provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
     select ${id_of_n}, $1, ${conversation_of_n}, 'inbound', '+1415' || lpad((n / 2 / ${items_of_others})::text, 7, '0'), '+15005550100',
            'Text number ' || n, 'received', 1, 'gsm7', 'sandbox', to_timestamp(1780000000 + n / 1000.0), '{}', 'carrier', false, 0, 0
       from generate_series(1, $2::int) n`,
    [nil_uuid, rows],
  );
  await database.query(
    `insert into conversation_items (organization_id, conversation_id, id, noun, thread_id, direction, is_automatic)
     select organization_id, conversation_id, id, 'sms', conversation_id, direction, false from sms_messages`,
  );
  await database.query(
    `insert into conversations (organization_id, id, kind, name, inbox_state, labels, metadata, channels, item_count, unread_count,
       waiting_since, last_item_id, last_item, created_at, updated_at)
     select organization_id, conversation_id, 'person', min("from"), 'open', '{}', '{}', '{sms}', count(*), count(*), min(requested_at),
            (array_agg(id order by id desc))[1],
            json_build_object('noun', 'sms', 'id', (array_agg(id order by id desc))[1], 'direction', 'inbound',
                              'at', iso(max(requested_at)), 'preview', 'Text'),
            min(requested_at), max(requested_at)
       from sms_messages group by organization_id, conversation_id`,
  );
  await database.query(
    `insert into conversation_participants (organization_id, conversation_id, party, role, channel, address, first_item_id)
     select organization_id, id, name, 'external', 'phone', name, last_item_id from conversations`,
  );
  await database.query('delete from projection_queue');
  await database.query('commit');
}

async function expectFullPage({ service }: SizedTable, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${service.key}` };
  const { items } = (await (await fetch(`${service.url}${path}`, { headers })).json()) as {
    items: unknown[];
  };
  if (items?.length !== page_size) throw new Error(`${path} has ${items?.length} items, not ${page_size}`);
}
