// The SQL of consents.
import type { Consent } from '@parley/contract/rules/people/consents';
import { batched } from '../../../platform/batch.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { check } from '../../../platform/unit-of-work/unit-of-work.ts';
import { provenSender } from '../../access/sender-proof/index.ts';
import { type ConsentQuery, type NewConsent, recipientKey } from './consent.ts';

const consent_cursors = cursors('consents');

/** Revocations of consent `c`. Ids grow with time. */
const revoked = sql`
  r.organization_id = c.organization_id and r.recipient_key = c.recipient_key and r.id > c.id
  and (r.consent_id is null or r.consent_id = c.id)`;

/** Selects the newest active consent for the row `asked` of the query. */
const activeConsent = (asked: Sql, now: Sql) => sql`
  select c.id from consents c
   where c.organization_id = ${asked}.organization_id and c.recipient_key = ${asked}.recipient_key
     and ${asked}.channel = any(c.channels) and ${asked}.purpose = any(c.purposes)
     and (c.expires_at is null or c.expires_at > ${now})
     and not exists (select from consent_revocations r where ${revoked} and r.channel = ${asked}.channel)
   order by c.id desc limit 1`;

/** For the statement that stores a record: its recipient has an active consent. */
export const consentRecorded = check({
  refusal: 'consent_not_recorded',
  columns: {
    organization_id: 'uuid',
    recipient_key: 'text',
    channel: 'text',
    purpose: 'text',
    at: 'timestamptz',
  },
  holds: sql`exists (${activeConsent(sql`asked`, sql`asked.at`)})`,
});
export type ConsentCondition = ReturnType<typeof consentRecorded>;

/** Kept as long as the consent: an upload that no email uses would be deleted. */
const proof_kept_until = '9999-12-31T00:00:00Z';

export function consentStore(db: Database, clock: Clock) {
  const columnsAt = (now: Date) => sql`
    c.id, c.organization_id, c.recipient, c.channels, c.purposes, c.basis, c.source, c.proof_attachment_id,
    iso(c.expires_at) as expires_at,
    case when cardinality(v.channels) = cardinality(c.channels) then 'revoked'
         when c.expires_at <= ${now} then 'expired' else 'active' end as status,
    c.recorded_by, iso(c.created_at) as created_at, coalesce(v.channels, '{}') as revoked_channels,
    iso(v.revoked_at) as revoked_at, v.revoked_by`;
  const from = sql`consents c left join lateral (
    select array_agg(distinct r.channel order by r.channel) as channels, max(r.created_at) as revoked_at,
           (array_agg(json_build_object('kind', r.kind, 'item_id', r.item_id,
                             'conversation_id', r.conversation_id, 'quote', r.quote) order by r.id desc))[1] as revoked_by
      from consent_revocations r where ${revoked} and r.channel = any(c.channels)) v on true`;

  // Sends that arrive together share one query.
  const active = batched<ConsentQuery, string | null>((queries) => findActive(db, queries, clock.now()), {
    max_flushes: 1,
  });

  return {
    async insert(on: Queryable, organization_id: string, consent: NewConsent): Promise<void> {
      const row = { ...consent, organization_id, recipient_key: recipientKey(consent.recipient) };
      await on.run(sql`
        insert into consents select * from json_populate_record(null::consents, ${JSON.stringify(row)})`);
    },

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<Consent>(sql`
        select ${columnsAt(clock.now())} from ${from} where c.organization_id = ${organization_id} and c.id = ${id}`),

    list(organization_id: string, query: PageRequest & { recipient?: string | undefined }) {
      const { recipient } = query;
      const of = recipient === undefined ? sql.empty : sql`and c.recipient_key = ${recipientKey(recipient)}`;
      return readPage<Consent>(db, consent_cursors, query, {
        columns: columnsAt(clock.now()),
        from,
        where: sql`c.organization_id = ${organization_id} ${of}`,
        alias: 'c',
      });
    },

    /** The id of an active consent; null when there is none. */
    active,

    /** When the recipient last wrote or called, not counting what came before a revocation. */
    lastInbound: (query: ConsentQuery, since: Date) => lastInbound(db, query, since),

    /** False when the upload does not exist. */
    keepProof: async (tx: Transaction, organization_id: string, id: string): Promise<boolean> =>
      (await tx.run(sql`
        update email_attachments set expires_at = ${proof_kept_until}
         where organization_id = ${organization_id} and id = ${id}`)) > 0,
  };
}
export type ConsentStore = ReturnType<typeof consentStore>;

async function findActive(
  db: Database,
  queries: readonly ConsentQuery[],
  now: Date,
): Promise<(string | null)[]> {
  const rows = await db.rows<{ at: number; id: string }>(
    sql.replannedRarely(sql`
      select a.at, found.id
        from unnest(${[...queries.keys()]}::int[], ${queries.map((each) => each.organization_id)}::uuid[],
                    ${queries.map((each) => each.recipient_key)}::text[], ${queries.map((each) => each.channel)}::text[],
                    ${queries.map((each) => each.purpose)}::text[])
               as a (at, organization_id, recipient_key, channel, purpose),
             lateral (${activeConsent(sql`a`, sql`${now}::timestamptz`)}) found`),
  );
  const ids = new Array<string | null>(queries.length).fill(null);
  for (const { at, id } of rows) ids[at] = id;
  return ids;
}

/** Inbound records have no index by sender, so that receiving costs nothing. The result is stored as a consent. */
async function lastInbound(
  db: Database,
  { organization_id, recipient_key, channel }: ConsentQuery,
  since: Date,
): Promise<Date | null> {
  const records = {
    sms: sql`select requested_at from sms_messages
      where organization_id = ${organization_id} and direction = 'inbound' and "from" = ${recipient_key}
        and blocked_by is null`,
    call: sql`select requested_at from calls
      where organization_id = ${organization_id} and direction = 'inbound' and "from" = ${recipient_key}`,
    // Anybody can forge a sender.
    email: sql`select requested_at from emails
      where organization_id = ${organization_id} and direction = 'inbound' and lower(from_address) = ${recipient_key}
        and ${provenSender()} and quarantine is null`,
  };
  const row = await db.maybe<{ requested_at: Date | null }>(sql`
    select max(m.requested_at) as requested_at from (${records[channel]}) m
     where m.requested_at > ${since} and not exists (
       select from consent_revocations r
        where r.organization_id = ${organization_id} and r.recipient_key = ${recipient_key} and r.channel = ${channel}
          and r.lifted_at is null and r.created_at >= m.requested_at)`);
  return row?.requested_at ?? null;
}
