// The SQL of revocations: who does not want to be contacted any more, and on which channel.
import type { ConsentChannel, RevokedBy } from '@parley/contract/rules/people/consents';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';

export type Revocation = {
  id: string;
  organization_id: string;
  recipient_key: string;
  channel: ConsentChannel;
  /** Null: every consent of the recipient on this channel. */
  consent_id: string | null;
  revoked_by: RevokedBy;
  created_at: string;
};

/** What was refused is found by the key of the recipient, and by its hash when the person was erased. */
type KeysOf = (organization_id: string, recipient_key: string) => string[];
const keysBy =
  (partyHash: PartyHash): KeysOf =>
  (organization_id, recipient_key) => [recipient_key, partyHash(organization_id, recipient_key)];

export const revocationStore = (db: Database, partyHash: PartyHash) => ({
  /** False when the channel was revoked before and no consent was recorded since. */
  add,

  /** Since when the recipient refuses each of these channels; without the channels on which nothing was refused. */
  refusals: (
    on: Queryable,
    organization_id: string,
    recipient_key: string,
    channels: readonly ConsentChannel[],
  ) => refusals(on, organization_id, keysBy(partyHash)(organization_id, recipient_key), channels),

  /** The person may be contacted again. `kind`: only what was revoked in this way. What the person said after `now` stays. */
  async lift(
    on: Queryable,
    organization_id: string,
    {
      recipient_key,
      channels,
      kind,
      now,
    }: {
      recipient_key: string;
      channels: readonly ConsentChannel[];
      kind?: RevokedBy['kind'];
      now: Date;
    },
  ): Promise<void> {
    await on.run(sql`
      update consent_revocations set lifted_at = ${now}
       where organization_id = ${organization_id}
         and recipient_key = any(${keysBy(partyHash)(organization_id, recipient_key)})
         and channel = any(${[...channels]}) and lifted_at is null and created_at <= ${now}
         ${kind === undefined ? sql.empty : sql`and kind = ${kind}`}`);
    await on.run(sql`
      update contacts set do_not_contact = false
       where organization_id = ${organization_id} and do_not_contact
         and (phone_e164 = ${recipient_key} or email_key = ${recipient_key})`);
  },

  /** Which of these numbers must not be called. */
  stoppedCalls: (organization_id: string, numbers: readonly string[]) =>
    stoppedCalls(db, keysBy(partyHash), organization_id, numbers),

  /** Whether a message or call to this recipient would be refused, whatever was consented to. */
  isStopped: (organization_id: string, recipient_key: string, channel: ConsentChannel) =>
    isStopped(db, organization_id, keysBy(partyHash)(organization_id, recipient_key), channel),

  /** The other number and address of the contact with this number or address. */
  otherOf: (on: Queryable, organization_id: string, recipient_key: string) =>
    on.maybe<{ phone_e164: string | null; email: string | null }>(sql`
      select phone_e164, email from contacts
       where organization_id = ${organization_id}
         and (phone_e164 = ${recipient_key} or email_key = ${recipient_key})
       limit 1`),

  /** Does not count as a change of the rules by a person, so the version stays. */
  async noteCallStops(tx: Transaction, organization_id: string, now: Date): Promise<void> {
    await tx.run(sql`
      insert into sending_rules (organization_id, version, has_call_stops, updated_at)
      values (${organization_id}, 0, true, ${now})
      on conflict (organization_id) do update set has_call_stops = true where not sending_rules.has_call_stops`);
  },

  /** Of a consent that allows contact again. What the carrier or a user suppressed stays. */
  removeSuppressions: (
    tx: Transaction,
    organization_id: string,
    { recipient_key, ...lifted }: { recipient_key: string; channels: readonly ConsentChannel[]; now: Date },
  ) =>
    removeSuppressions(tx, organization_id, {
      keys: keysBy(partyHash)(organization_id, recipient_key),
      ...lifted,
    }),
});
export type RevocationStore = ReturnType<typeof revocationStore>;

const add = async (tx: Transaction, each: Revocation): Promise<boolean> =>
  (await tx.run(sql`
    insert into consent_revocations
      (organization_id, id, recipient_key, channel, consent_id, kind, item_id, conversation_id, quote, created_at)
    select ${each.organization_id}::uuid, ${each.id}::uuid, ${each.recipient_key}, ${each.channel},
           ${each.consent_id}::uuid, ${each.revoked_by.kind}, ${each.revoked_by.item_id}::uuid,
           ${each.revoked_by.conversation_id}::uuid, ${each.revoked_by.quote}, ${each.created_at}::timestamptz
     where not exists (
       select from consent_revocations r
        where r.organization_id = ${each.organization_id} and r.recipient_key = ${each.recipient_key}
          and r.channel = ${each.channel} and r.lifted_at is null
          and (r.consent_id is null or r.consent_id = ${each.consent_id}::uuid)
          and not exists (
            select from consents c
             where c.organization_id = ${each.organization_id} and c.recipient_key = ${each.recipient_key}
               and ${each.channel} = any(c.channels) and c.id > r.id))`)) > 0;

async function stoppedCalls(
  db: Database,
  keysOf: KeysOf,
  organization_id: string,
  numbers: readonly string[],
): Promise<string[]> {
  const numbers_by_key = new Map(
    numbers.flatMap((number) => keysOf(organization_id, number).map((key) => [key, number] as const)),
  );
  const rows = await db.rows<{ recipient_key: string }>(sql`
    select distinct recipient_key from consent_revocations
     where organization_id = ${organization_id} and recipient_key = any(${[...numbers_by_key.keys()]})
       and channel = 'call' and consent_id is null and lifted_at is null`);
  return [...new Set(rows.map(({ recipient_key }) => numbers_by_key.get(recipient_key)!))];
}

export type StandingRefusal = { channel: ConsentChannel; since: Date };

async function refusals(
  on: Queryable,
  organization_id: string,
  keys: readonly string[],
  channels: readonly ConsentChannel[],
): Promise<StandingRefusal[]> {
  return on.rows<StandingRefusal>(sql`
    select channel, max(created_at) as since from (
      select channel, created_at from consent_revocations
       where organization_id = ${organization_id} and recipient_key = any(${[...keys]}) and consent_id is null
         and lifted_at is null
      union all
      select 'sms', created_at from sms_suppressions
       where organization_id = ${organization_id} and channel = 'sms' and recipient = any(${[...keys]})
         and reason = 'opt_out'
      union all
      select 'email', created_at from email_suppressions
       where organization_id = ${organization_id} and recipient_key = any(${[...keys]})
         and reason in ('unsubscribe', 'complaint')) refused
     where channel = any(${[...channels]}) group by channel`);
}

async function isStopped(
  db: Database,
  organization_id: string,
  keys: readonly string[],
  channel: ConsentChannel,
): Promise<boolean> {
  const lists = {
    call: sql`select from consent_revocations where organization_id = ${organization_id}
      and recipient_key = any(${[...keys]}) and channel = 'call' and consent_id is null and lifted_at is null`,
    sms: sql`select from sms_suppressions where organization_id = ${organization_id} and recipient = any(${[...keys]})`,
    email: sql`select from email_suppressions where organization_id = ${organization_id}
      and recipient_key = any(${[...keys]})`,
  };
  const row = await db.maybe<{ is_stopped: boolean }>(sql`select exists (${lists[channel]}) as is_stopped`);
  return row!.is_stopped;
}

async function removeSuppressions(
  tx: Transaction,
  organization_id: string,
  { keys, channels, now }: { keys: readonly string[]; channels: readonly ConsentChannel[]; now: Date },
): Promise<void> {
  if (channels.includes('sms'))
    await tx.run(sql`
      delete from sms_suppressions
       where organization_id = ${organization_id} and channel = 'sms' and recipient = any(${[...keys]})
         and reason = 'opt_out' and created_at <= ${now}`);
  if (channels.includes('email'))
    await tx.run(sql`
      delete from email_suppressions
       where organization_id = ${organization_id} and recipient_key = any(${[...keys]})
         and reason in ('unsubscribe', 'complaint') and created_at <= ${now}`);
}
