// The SQL that an agent needs to answer emails: the thread before an email, and repeated bodies.
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import { provenSender } from '../../../access/sender-proof/index.ts';
import { couldSee, mailboxKey } from '../party-store.ts';

export type ThreadEmail = {
  id: string;
  direction: 'inbound' | 'outbound';
  from_address: string;
  subject: string;
  at: string;
  body_text: string | null;
  body_html: string | null;
  attachments: { filename: string; content_type: string; size_bytes: number }[];
};

export type HistoryOf = { thread_id: string; up_to_id: string; addressee: string; limit: number };

const max_body_chars = 200_000;

export const agentEmailStore = (db: Database) => ({
  /**
   * The emails of a thread up to the one that is answered, oldest first: its newest ones. The answer goes to `addressee`, so
   * they are without those that the addressee neither sent nor got; and without those that anybody may have forged.
   */
  async history(organization_id: string, { thread_id, up_to_id, addressee, limit }: HistoryOf) {
    const rows = await db.rows<ThreadEmail>(sql`
      select r.id, r.direction, r.from_address, r.subject, iso(r.requested_at) as at,
             left(r.body_text, ${max_body_chars}) as body_text, left(r.body_html, ${max_body_chars}) as body_html,
             (select coalesce(json_agg(json_build_object('filename', a.filename, 'content_type', a.content_type,
                                'size_bytes', a.size_bytes) order by u.place), '[]')
                from email_attachment_uses u join email_attachments a on a.id = u.attachment_id
               where u.email_id = r.id) as attachments
        from emails r
       where r.organization_id = ${organization_id} and r.conversation_id = ${thread_id} and r.id <= ${up_to_id}
         and r.quarantine is null and (r.direction = 'inbound' or r.status in ('sent', 'bounced', 'complained'))
         and (r.id = ${up_to_id} or (
                (r.direction = 'outbound' or ${provenSender(sql`r`)})
                and ${couldSee(sql`${mailboxKey(addressee)}`, sql`r`)}))
       order by r.id desc limit ${limit}`);
    return rows.reverse();
  },

  /** How many received emails of a thread have the same text since a time. */
  async repetitions(
    organization_id: string,
    of: { thread_id: string; body_text: string | null; since: Date },
  ): Promise<number> {
    const row = await db.maybe<{ count: number }>(sql`
      select count(*)::int as count from emails
       where organization_id = ${organization_id} and conversation_id = ${of.thread_id} and direction = 'inbound'
         and id >= ${firstIdAt(of.since)} and body_text is not distinct from ${of.body_text}`);
    return row!.count;
  },
});
export type AgentEmailStore = ReturnType<typeof agentEmailStore>;
