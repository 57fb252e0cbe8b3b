// The SQL that erases what agents concluded from messages, and deletes which messages they answered.
import { ofOrganization } from '../../../platform/db/old-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

const no_result = sql`result = null, result_error = null, evidence = null, summary = null, success_reason = null`;

export const messageAgentPersonalData: PersonalData = {
  owner: 'channels/message-agents',
  tables: {
    agent_replies: { erased: '*' },
    conversation_results: {
      erased: 'result result_error evidence summary success_reason',
      kept: { 'states and codes': 'channel own status result_engine' },
    },
  },
  /** Of the conversation that ends with a record, and of those that were merged into it. */
  async eraseCopies(tx, { organization_id, ids }) {
    await tx.run(sql`
      update conversation_results r set ${no_result}
        from conversations c
       where c.organization_id = ${organization_id} and c.last_item_id = any(${[...ids]}::uuid[])
         and r.organization_id = c.organization_id
         and (r.conversation_id = c.id or r.conversation_id in (
                select alias_id from conversation_aliases a
                 where a.organization_id = c.organization_id and a.conversation_id = c.id))`);
    return {};
  },
  async deleteCopies(tx, organization_id, ids) {
    await tx.run(
      sql`delete from conversation_results where ${ofOrganization(organization_id, 'conversation_id', ids)}`,
    );
    await tx.run(sql`delete from agent_replies where ${ofOrganization(organization_id, 'message_id', ids)}`);
  },
  async erase(tx, { organization_id, keys, records, groups }) {
    const own = sql`organization_id = ${organization_id}`;
    await tx.run(
      sql`update conversation_results set ${no_result} where ${own} and conversation_id in ${groups}`,
    );
    await tx.run(sql`
      delete from agent_replies
       where ${own} and (person = any(${[...keys]}) or message_id in ${records} or reply_id in ${records})`);
    return {};
  },
};
