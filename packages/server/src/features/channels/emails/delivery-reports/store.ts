// The SQL that applies delivery reports to a sent email.
import { type EmailOutcome, emailReportOutcomes } from '@parley/contract/channels/emails/email-records';
import type { Queryable } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type LockedEmail = {
  id: string;
  status: string;
  end_reason: string | null;
  provider: string | null;
  email_domain_id: string | null;
  from_address: string;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  requested_at: string;
  has_html: boolean;
};

const outcomes = sql.raw(`array['${emailReportOutcomes.join("', '")}']`);

export const reportStore = {
  /** Locks the email, so that two reports of it cannot both be the first of their kind. */
  lock: (tx: Queryable, organization_id: string, id: string) =>
    tx.maybe<LockedEmail>(sql`
      select id, status, end_reason, provider, email_domain_id, from_address, to_addresses, cc_addresses, bcc_addresses, subject,
             iso(requested_at) as requested_at, body_html is not null as has_html
        from emails where organization_id = ${organization_id} and id = ${id} and direction = 'outbound' for update`),

  /** A weaker outcome does not replace a stronger one: an email that was clicked stays clicked when it is opened again. */
  touch: (
    tx: Queryable,
    organization_id: string,
    id: string,
    { kind, occurred_at }: { kind: EmailOutcome; occurred_at: string },
  ) =>
    tx.run(sql`
      update emails
         set last_event_at = greatest(last_event_at, ${occurred_at}::timestamptz),
             -- Null stays null: the outcome of such an email is read from its timeline.
             last_outcome = case when last_outcome is null or array_position(${outcomes}, last_outcome)
                                      > array_position(${outcomes}, ${kind}::text) then last_outcome else ${kind} end
       where organization_id = ${organization_id} and id = ${id}`),

  only_id: sql`id`,
};
