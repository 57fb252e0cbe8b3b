// The SQL that erases and forgets what conversations show of the people in them.
import { ofOrganization } from '../../../platform/db/old-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import type { ForgottenRows, PersonalData } from '../../../platform/personal-data.ts';

/** Conversations whose records were all deleted. The id of the last record stays when the projector has removed it. */
const forget: ForgottenRows = {
  step: 'conversations',
  kind: 'records',
  count: 'conversations',
  page_rows: 500,
  deleteOld: ({ db, deleteCopies }, organization_id, before, limit) =>
    db.transaction(async (tx) => {
      const own = sql`organization_id = ${organization_id}`;
      const empty = await tx.rows<{ id: string }>(
        sql.replanned(sql`
          select id from conversations c
           where ${own} and last_item_id < ${firstIdAt(before)} and item_count = 0
             and not exists (select from conversation_items i where i.organization_id = c.organization_id and (
                   i.conversation_id = c.id or i.conversation_id in (
                     select alias_id from conversation_aliases a
                      where a.organization_id = c.organization_id and a.conversation_id = c.id)))
           order by last_item_id limit ${limit} for update skip locked`),
      );
      if (empty.length === 0) return 0;
      const ids = empty.map(({ id }) => id);
      const of = ofOrganization(organization_id, 'conversation_id', ids);
      await tx.run(sql`delete from conversation_participants where ${of}`);
      const aliases = await tx.rows<{ alias_id: string }>(
        sql`delete from conversation_aliases where ${of} returning alias_id`,
      );
      await deleteCopies(tx, organization_id, [...ids, ...aliases.map(({ alias_id }) => alias_id)]);
      return tx.run(sql`delete from conversations where ${ofOrganization(organization_id, 'id', ids)}`);
    }),
};

export const conversationPersonalData: PersonalData = {
  owner: 'inbox/conversations',
  tables: {
    conversations: {
      erased: 'title name metadata last_item',
      kept: { 'states and choices': 'kind inbox_state assignee_kind labels channels' },
    },
    conversation_participants: {
      erased: 'name',
      kept: { 'parties: replaced by an erasure': 'party address', kinds: 'role channel' },
    },
    conversation_items: { kept: { kinds: 'noun direction' } },
  },
  /** The conversations with these records, also by the ids that they had before a merge. */
  groups(organization_id, records) {
    const own = sql`organization_id = ${organization_id}`;
    return sql`(
      with named as (
        select distinct conversation_id as id from conversation_items i where ${own} and i.id in ${records}
      ), current as (
        select id from named
        union select conversation_id from conversation_aliases where ${own} and alias_id in (select id from named)
      )
      select id from current
      union select alias_id from conversation_aliases where ${own} and conversation_id in (select id from current))`;
  },
  async eraseCopies(tx, { organization_id, ids, replaced_by }) {
    const of = ofOrganization(organization_id, 'last_item_id', ids);
    // The name of a group is the subject of its first email, which somebody else may have written.
    if (replaced_by === null)
      await tx.run(sql`
      update conversations c
         set name = coalesce((
               select coalesce(p.name, p.address) from conversation_participants p
                where p.organization_id = c.organization_id and p.conversation_id = c.id and p.role = 'external'
                order by p.first_item_id limit 1), '')
       where ${of} and kind = 'group'`);
    await tx.run(sql`
      update conversations set last_item = (last_item::jsonb || '{"preview": ""}')::json
       where ${of} and json_typeof(last_item) = 'object'`);
    return {};
  },
  /** A conversation of several people keeps its title. */
  async erase(tx, { organization_id, keys, text, groups }) {
    const own = sql`organization_id = ${organization_id}`;
    const conversations = await tx.run(sql`
      update conversations set name = ${text}, title = null, contact_id = null, metadata = '{}'
       where ${own} and kind = 'person' and id in ${groups}`);
    await tx.run(sql`
      update conversation_participants set name = null
       where ${own} and name is not null and party = any(${[...keys]})`);
    return { conversations };
  },
  forget,
};
