// The SQL that the projection of conversations reads and writes.
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { isProven } from '../../../access/sender-proof/index.ts';
import type { ContactRecord, RecordRef } from '../../projector/index.ts';
import { type Alias, type ContactParties, noChanges, type OrganizationState } from '../changes/assignment.ts';
import { type Item, type ItemRecord, personConversationId } from '../items/conversation-item.ts';
import type { ConversationRow } from './conversation-row.ts';
import { orderChannels } from './recount-store.ts';
import { saveChanges } from './save-store.ts';

export type Ref = { organization_id: string; id: string };
type OfOrganization<T> = T & { organization_id: string };
type Pairs = readonly (readonly [organization_id: string, value: string])[];

const distinct = (values: Iterable<string>) => [...new Set(values)];
const pairs = (list: Pairs, type: 'uuid' | 'text') =>
  sql`(select * from unnest(${list.map(([first]) => first)}::uuid[],
       ${list.map(([, second]) => second)}::${sql.raw(type)}[])) as wanted(organization_id, value)`;
const refs = (list: readonly Ref[]) =>
  pairs(
    list.map(({ organization_id, id }) => [organization_id, id] as const),
    'uuid',
  );

export const contactParties = ({
  id,
  name,
  phone_e164,
  email,
}: Omit<ContactRecord, 'noun'>): ContactParties => ({
  id,
  name,
  parties: [...(phone_e164 ? [phone_e164] : []), ...(email ? [addressKey(email)] : [])],
});

export const conversation_columns = sql`c.organization_id, c.id, c.kind, c.contact_id, c.title, c.name, c.inbox_state,
  iso(c.inbox_state_set_at) as inbox_state_set_at, iso(c.snoozed_until) as snoozed_until, c.assignee_kind, c.assignee_id,
  iso(c.agent_paused_until) as agent_paused_until, coalesce(c.is_with_human, false) as is_with_human, c.labels,
  c.metadata, c.channels, c.item_count, c.unread_count, c.read_up_to, c.last_outbound_id, iso(c.waiting_since) as waiting_since,
  c.last_item_id, c.last_item, iso(c.created_at) as created_at, iso(c.updated_at) as updated_at`;

export const projectionStore = {
  /** Conversations of an organization are changed by one transaction at a time, because items and merges depend on others. */
  async lockOrganizations(tx: Transaction, of: readonly { organization_id: string }[]): Promise<void> {
    for (const organization_id of distinct(of.map((each) => each.organization_id)).sort())
      await tx.run(
        sql`select pg_advisory_xact_lock(hashtext('conversations'), hashtext(${organization_id}))`,
      );
  },

  async knownItems(tx: Transaction, records: readonly Ref[]): Promise<Set<string>> {
    if (records.length === 0) return new Set();
    const rows = await tx.rows<{ id: string }>(sql`
      select i.id from ${refs(records)}
        join conversation_items i on i.organization_id = wanted.organization_id and i.id = wanted.value`);
    return new Set(rows.map(({ id }) => id));
  },

  mailFacts,
  load,
  save: saveChanges,
  orderChannels,

  /** Items of records that were deleted or put into quarantine. Returns their conversations, which must be counted again. */
  async removeItems(tx: Transaction, gone: readonly Ref[]): Promise<Ref[]> {
    if (gone.length === 0) return [];
    return tx.rows<Ref>(sql`
      with gone as (
        delete from conversation_items i using ${refs(gone)}
         where i.organization_id = wanted.organization_id and i.id = wanted.value
        returning i.organization_id, i.conversation_id)
      select distinct g.organization_id, coalesce(a.conversation_id, g.conversation_id) as id from gone g
        left join conversation_aliases a on a.organization_id = g.organization_id and a.alias_id = g.conversation_id`);
  },

  /** The conversations of a deleted contact stay as they are. */
  async forgetContacts(tx: Transaction, deleted: readonly RecordRef[]): Promise<void> {
    const contacts = deleted.filter(({ noun }) => noun === 'contact');
    if (contacts.length === 0) return;
    await tx.run(sql`
      update conversations c set contact_id = null from ${refs(contacts)}
       where c.organization_id = wanted.organization_id and c.contact_id = wanted.value`);
  },

  /** The first received item after the last one that was sent. */
  async findWaiting(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.run(sql`
      update conversations c
         set waiting_since = (select to_timestamp(('x' || left(replace(i.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
                                from conversation_items i
                               where i.organization_id = c.organization_id and i.conversation_id = c.id
                                 and i.direction = 'inbound' and not i.is_automatic
                                 and (c.last_outbound_id is null or i.id > c.last_outbound_id)
                               order by i.id limit 1)
       where c.organization_id = ${organization_id} and c.id = any(${ids}::uuid[])`);
  },
};
export type ProjectionStore = typeof projectionStore;

/** Which addresses are the organization's own, and which emails answer one that it sent. */
async function mailFacts(tx: Transaction, records: readonly ItemRecord[]) {
  const emails = records.filter((record) => record.noun === 'email');
  const organizations = distinct(emails.map((each) => each.organization_id));
  const domains =
    organizations.length === 0
      ? []
      : await tx.rows<{ organization_id: string; kind: string; domain: string; default_address: string }>(sql`
          select organization_id, kind, domain, default_address from email_domains
           where organization_id = any(${organizations}::uuid[])`);
  const person_ids = new Set(
    domains.map((each) =>
      each.kind === 'custom'
        ? `${each.organization_id} @${each.domain.toLowerCase()}`
        : `${each.organization_id} ${addressKey(each.default_address)}`,
    ),
  );
  const answered = await answeredEmails(
    tx,
    emails.filter((email) => email.direction === 'inbound' && !isProven(email)),
  );
  return {
    isOwn: (organization_id: string) => (address: string) => {
      const key = addressKey(address);
      return (
        person_ids.has(`${organization_id} ${key}`) ||
        person_ids.has(`${organization_id} ${key.slice(key.lastIndexOf('@'))}`)
      );
    },
    isAnswer: ({ id }: ItemRecord) => answered.has(id),
  };
}

/** The organization wrote to the sender, who alone and others in copy know the Message-ID. */
async function answeredEmails(tx: Transaction, emails: readonly ItemRecord[]): Promise<Set<string>> {
  if (emails.length === 0) return new Set();
  const rows = await tx.rows<{ id: string }>(sql`
    select r.id from emails r
     where r.id = any(${emails.map(({ id }) => id)}::uuid[])
       and exists (select from emails o
                    where o.organization_id = r.organization_id and o.direction = 'outbound'
                      and lower(r.from_address) in (select lower(unnest(o.to_addresses || o.cc_addresses || o.bcc_addresses)))
                      and o.message_id = any(array_append(r.references_ids, r.in_reply_to)))`);
  return new Set(rows.map(({ id }) => id));
}

type Wanted = {
  items: readonly Item[];
  contacts: readonly OfOrganization<ContactParties>[];
  now: string;
};

/** Everything that the items and contacts of a batch may belong to. */
async function load(
  tx: Transaction,
  { items, contacts, now }: Wanted,
): Promise<Map<string, OrganizationState>> {
  const states = new Map<string, OrganizationState>();
  const state = (organization_id: string): OrganizationState => {
    let state = states.get(organization_id);
    if (!state) {
      state = {
        organization_id,
        now,
        threads: new Map(),
        aliases: new Map(),
        conversations: new Map(),
        contacts: new Map(),
        changes: noChanges(),
      };
      states.set(organization_id, state);
    }
    return state;
  };
  for (const { organization_id } of [...items, ...contacts]) state(organization_id);
  if (states.size === 0) return states;
  for (const each of await contactsOf(tx, items))
    for (const party of each.parties) state(each.organization_id).contacts.set(party, each);
  for (const each of await threadsOf(tx, items))
    state(each.organization_id).threads.set(each.thread_id, each.conversation_id);

  const candidates = candidateIds(states, items, contacts);
  const aliases = await aliasesOf(tx, candidates);
  for (const { organization_id, ...alias } of aliases)
    state(organization_id).aliases.set(alias.alias_id, alias);
  const targets = aliases.map((each) => [each.organization_id, each.conversation_id] as const);
  for (const row of await conversationsOf(tx, [...candidates, ...targets]))
    state(row.organization_id).conversations.set(row.id, row);
  return states;
}

function candidateIds(
  states: Map<string, OrganizationState>,
  items: readonly Item[],
  contacts: Wanted['contacts'],
) {
  const ids: (readonly [string, string])[] = [];
  const addPerson = (organization_id: string, parties: readonly string[]) => {
    for (const party of parties) ids.push([organization_id, personConversationId(organization_id, party)]);
  };
  for (const { organization_id, thread_id, people } of items) {
    const state = states.get(organization_id)!;
    ids.push([organization_id, thread_id]);
    const conversation_id = state.threads.get(thread_id);
    if (conversation_id) ids.push([organization_id, conversation_id]);
    else if (people.length === 1) {
      const party = people[0]!.party;
      addPerson(organization_id, state.contacts.get(party)?.parties ?? [party]);
    }
  }
  for (const { organization_id, parties } of contacts) addPerson(organization_id, parties);
  return ids;
}

async function contactsOf(
  tx: Transaction,
  items: readonly Item[],
): Promise<OfOrganization<ContactParties>[]> {
  const people = items.flatMap(({ organization_id, people: all }) =>
    all.length === 1 ? [[organization_id, all[0]!.party] as const] : [],
  );
  if (people.length === 0) return [];
  // One look-up in each index per person: with OR, every contact of the organization is compared with every person.
  const contacts = (column: string) => sql`
    select id, organization_id, kind, name, phone_e164, email from contacts
     where organization_id = wanted.organization_id and ${sql.raw(column)} = wanted.value`;
  const rows = await tx.rows<Omit<ContactRecord, 'noun'>>(sql`
    select distinct c.* from ${pairs(people, 'text')},
           lateral (${contacts('phone_e164')} union all ${contacts('email_key')}) c`);
  return rows.map((row) => ({ ...contactParties(row), organization_id: row.organization_id }));
}

const threadsOf = (tx: Transaction, items: readonly Item[]) =>
  tx.rows<{ organization_id: string; thread_id: string; conversation_id: string }>(sql`
    select distinct t.organization_id, t.thread_id, t.conversation_id
      from ${pairs(
        items.map((item) => [item.organization_id, item.thread_id] as const),
        'uuid',
      )}
      join conversation_threads t on t.organization_id = wanted.organization_id and t.thread_id = wanted.value`);

const aliasesOf = (tx: Transaction, ids: Pairs) =>
  tx.rows<OfOrganization<Alias>>(sql`
    select distinct a.organization_id, a.alias_id, a.conversation_id, a.was_conversation from ${pairs(ids, 'uuid')}
      join conversation_aliases a on a.organization_id = wanted.organization_id and a.alias_id = wanted.value`);

/** Locked, because people may change them at the same time. */
const conversationsOf = (tx: Transaction, ids: Pairs) =>
  tx.rows<ConversationRow>(sql`
    select ${conversation_columns} from conversations c
     where (c.organization_id, c.id) in (select organization_id, value from ${pairs(ids, 'uuid')})
     order by c.organization_id, c.id for update of c`);
