// The SQL of what is known about a conversation: whether it exists, and who wrote in it.
import { addressKey } from '@parley/contract/mailbox';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

export const threadStore = (db: Database) => ({
  /** A call without a named conversation is one of its own, with the id of the call. */
  async exists(organization_id: string, conversation_id: string): Promise<boolean> {
    const row = await db.maybe<{ exists: boolean }>(sql`
      select exists (select from emails where organization_id = ${organization_id} and conversation_id = ${conversation_id})
          or exists (select from sms_messages
                      where organization_id = ${organization_id} and conversation_id = ${conversation_id})
          or exists (select from calls where organization_id = ${organization_id} and id = ${conversation_id}
                        and conversation_id = ${conversation_id}) as exists`);
    return row!.exists;
  },

  /**
   * The people who wrote in the conversation themselves, not those whom somebody else named. An email that fails DMARC may
   * have a forged sender, so it does not count.
   */
  async writers(organization_id: string, conversation_id: string): Promise<ReadonlySet<string>> {
    const rows = await db.rows<{ party: string }>(sql`
      select distinct from_address as party from emails
       where organization_id = ${organization_id} and conversation_id = ${conversation_id} and direction = 'inbound'
             and dmarc_verdict is distinct from 'FAIL' and quarantine is null
      union
      select distinct "from" from sms_messages
       where organization_id = ${organization_id} and conversation_id = ${conversation_id} and direction = 'inbound'
             and blocked_by is null`);
    return new Set(rows.map(({ party }) => (party.startsWith('+') ? party : addressKey(party))));
  },
});
export type ThreadStore = ReturnType<typeof threadStore>;
