// The SQL of certifications of webhook receivers.
import { limits } from '@parley/contract/limits';
import type { WebhookCertification } from '@parley/contract/operations/webhooks/webhook-certifications';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A check takes at most a few minutes. One that is older and not done was given up by the job queue. */
const running_minutes = 15;

/** Old results no longer say anything about the receiver. */
const kept_days = 90;

const columns = (now: Date) => sql`id, organization_id, subscription_id, score, grade, cases, duration_ms,
  case when done_at is not null then 'done'
       when created_at < ${now}::timestamptz - ${running_minutes} * interval '1 minute' then 'failed'
       else 'running' end as status,
  iso(created_at) as created_at, iso(done_at) as done_at`;

const certification_cursors = cursors('webhook_certifications');

/** Locks nothing: the caller holds the lock of the subscription. */
export const recentCertifications = (tx: Transaction, subscription_id: string, now: Date) =>
  tx.maybe<{ is_running: boolean; is_over_limit: boolean }>(sql`
    select coalesce(bool_or(done_at is null
                            and created_at >= ${now}::timestamptz - ${running_minutes} * interval '1 minute'), false) as is_running,
           count(*) >= ${limits.webhook_certifications_per_day} as is_over_limit
      from webhook_certifications
     where subscription_id = ${subscription_id} and created_at > ${now}::timestamptz - interval '1 day'`);

export const insertCertification = (
  tx: Transaction,
  organization_id: string,
  of: { id: string; subscription_id: string; now: Date },
) =>
  tx.maybe<WebhookCertification>(sql`
    insert into webhook_certifications (id, organization_id, subscription_id, created_at)
    values (${of.id}, ${organization_id}, ${of.subscription_id}, ${of.now})
    returning ${columns(of.now)}`);

export const findCertification = (
  db: Database,
  organization_id: string,
  of: { id: string; subscription_id: string; now: Date },
) =>
  db.maybe<WebhookCertification>(sql`
    select ${columns(of.now)} from webhook_certifications
     where organization_id = ${organization_id} and subscription_id = ${of.subscription_id} and id = ${of.id}`);

export const listCertifications = (
  db: Database,
  organization_id: string,
  { subscription_id, now, ...page }: PageRequest & { subscription_id: string; now: Date },
) =>
  readPage<WebhookCertification>(db, certification_cursors, page, {
    columns: columns(now),
    from: sql`webhook_certifications`,
    where: sql`organization_id = ${organization_id} and subscription_id = ${subscription_id}`,
  });

export type CertificationTask = {
  organization_id: string;
  subscription_id: string;
  target_url: string;
  secret_sealed: string;
};

/** What a job needs; null when it is done or the subscription was deleted. */
export const findTask = (db: Database, id: string) =>
  db.maybe<CertificationTask>(sql`
    select c.organization_id, c.subscription_id, s.target_url, s.secret_sealed
      from webhook_certifications c join webhook_subscriptions s on s.id = c.subscription_id
     where c.id = ${id} and c.done_at is null`);

export const storeResult = (
  db: Database,
  id: string,
  result: { score: number; grade: string; cases: unknown; duration_ms: number; now: Date },
) =>
  db.run(sql`
    update webhook_certifications
       set score = ${result.score}, grade = ${result.grade}, cases = ${JSON.stringify(result.cases)},
           duration_ms = ${result.duration_ms}, done_at = ${result.now}
     where id = ${id} and done_at is null`);

export const deleteOldCertifications = (on: Queryable, now: Date) =>
  on.run(sql`
    delete from webhook_certifications where created_at < ${now}::timestamptz - ${kept_days} * interval '1 day'`);
