// The SQL of emails that wait: a change is made only while the email still waits for what the caller has read.
import type { Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { type RememberedRow, rememberAnswers } from '../../../../platform/idempotency.ts';
import { type EmailRow, email_columns } from '../store.ts';

const json = (value: object | null) => (value === null ? null : JSON.stringify(value));

/** Writes the columns of an email that say what it waits for. False when another process changed them since `before`. */
export async function changeWaiting(on: Queryable, before: EmailRow, after: EmailRow): Promise<boolean> {
  const { hold } = before;
  const changed = await on.run(sql`
    update emails set hold = ${json(after.hold)}::json, scheduled_at = ${after.scheduled_at}::timestamptz,
           terms = ${json(after.terms)}::json, admission = ${after.admission},
           released_at = ${after.released_at}::timestamptz, send_deadline = ${after.send_deadline}::timestamptz,
           idempotency_operation = ${after.idempotency_operation}, idempotency_key = ${after.idempotency_key}
     where organization_id = ${before.organization_id} and id = ${before.id} and status = 'queued'
       and send_deadline is not distinct from ${before.send_deadline}::timestamptz
       and hold->>'kind' is not distinct from ${hold?.kind ?? null}::text
       and hold->>'until' is not distinct from ${hold?.until ?? null}::text
       and hold->>'approval_id' is not distinct from ${hold?.approval_id ?? null}::text`);
  return changed === 1;
}

export const lockEmail = (tx: Transaction, organization_id: string, id: string) =>
  tx.maybe<EmailRow>(sql`
    select ${email_columns} from emails where organization_id = ${organization_id} and id = ${id} for update`);

/** Stores the response of a request whose key was claimed with the email. */
export const rememberAnswer = (tx: Transaction, answer: RememberedRow) => tx.run(rememberAnswers([answer]));
