// The SQL of conversation tokens.
import type { ConversationRight } from '@parley/contract/access/credentials/conversation-rights';
import type { ConversationToken } from '@parley/contract/access/credentials/conversation-tokens';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { CredentialKind } from '../../../platform/http/context.ts';

export type TokenIssuer = { issuer_kind: CredentialKind; issuer_id: string; user_id: string };
export type FoundToken = TokenIssuer & {
  id: string;
  organization_id: string;
  conversation_id: string;
  may: ConversationRight[];
  expires_ms: number;
  /** Of the key that created it, nearest first. */
  ancestor_key_ids: string[];
};

const columns = sql`id, conversation_id, may,
  case when max_count is null then null
       else json_build_object('max_count', max_count, 'used_count', used_count) end as budget,
  iso(created_at) as created_at, iso(expires_at) as expires_at`;

/** The key that created the token, with an id that is no key's for other credentials. */
const issuing_key = sql`
  left join api_keys k on k.organization_id = t.organization_id
       and k.id = case when t.issuer_id like 'key:%' then substr(t.issuer_id, 5)::uuid end`;

/** A key ends with its ancestors, and the token with the key. */
const ends_at = sql`least(t.expires_at, k.expires_at, (
  select min(a.expires_at) from api_keys a where a.id = any(k.ancestor_key_ids)))`;

/** The credential that created the token is still valid; keys from the environment always are. */
const issuer_is_valid = sql`case t.issuer_kind
  when 'api_key' then k.id is not null and (k.user_id is null or exists (
    select from members m where m.organization_id = k.organization_id and m.user_id = k.user_id))
  when 'oauth' then exists (
    select from accounts."oauthConsent" g join members m on m.organization_id = t.organization_id and m.user_id = g."userId"
     where 'grant:' || g.id = t.issuer_id)
  when 'session' then exists (
    select from members m where m.organization_id = t.organization_id and m.user_id = t.user_id)
  when 'outside_token' then exists (
    select from members m where m.organization_id = t.organization_id and m.user_id = t.user_id)
  else true end`;

/** Counts the valid tokens of a conversation. The lock makes concurrent requests wait for each other. */
async function lockAndCount(
  tx: Transaction,
  organization_id: string,
  conversation_id: string,
  now: Date,
): Promise<number> {
  const lock = `tokens:${organization_id}:${conversation_id}`;
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
  const row = await tx.maybe<{ count: number }>(sql`
    select count(*)::int as count from conversation_tokens
     where organization_id = ${organization_id} and conversation_id = ${conversation_id} and expires_at > ${now}`);
  return row!.count;
}

export const conversationTokenStore = (db: Database) => ({
  lockAndCount,

  async insert(
    tx: Transaction,
    organization_id: string,
    token: ConversationToken & TokenIssuer & { hash: string },
  ): Promise<void> {
    await tx.run(sql`
      insert into conversation_tokens (organization_id, id, conversation_id, hash, may, max_count, issuer_kind, issuer_id,
                                       user_id, created_at, expires_at)
      values (${organization_id}, ${token.id}, ${token.conversation_id}, ${token.hash}, ${token.may},
              ${token.budget?.max_count ?? null}, ${token.issuer_kind}, ${token.issuer_id}, ${token.user_id},
              ${token.created_at}, ${token.expires_at})`);
  },

  list: (organization_id: string, conversation_id: string, now: Date) =>
    db.rows<ConversationToken>(sql`
      select ${columns} from conversation_tokens
       where organization_id = ${organization_id} and conversation_id = ${conversation_id} and expires_at > ${now}
       order by id desc`),

  async delete(
    tx: Transaction,
    organization_id: string,
    conversation_id: string,
    id: string,
  ): Promise<boolean> {
    const row = await tx.maybe(sql`
      delete from conversation_tokens
       where organization_id = ${organization_id} and conversation_id = ${conversation_id} and id = ${id} returning id`);
    return row !== null;
  },

  /** The only query of a request with a token; the hash is unique over all organizations. */
  findByHash: (hash: string) =>
    db.maybe<FoundToken>(sql`
      select t.id, t.organization_id, t.conversation_id, t.may, t.issuer_kind, t.issuer_id, t.user_id,
             coalesce(k.ancestor_key_ids, '{}') as ancestor_key_ids,
             extract(epoch from ${ends_at})::float8 * 1000 as expires_ms
        from conversation_tokens t ${issuing_key} where t.hash = ${hash} and ${issuer_is_valid}`),

  /** False when the token, or the credential that created it, was revoked. An expired one exists for some days. */
  async exists(organization_id: string, id: string): Promise<boolean> {
    const row = await db.maybe(sql`
      select from conversation_tokens t ${issuing_key}
       where t.organization_id = ${organization_id} and t.id = ${id} and ${issuer_is_valid}`);
    return row !== null;
  },

  /** Counts one message; false when the token may send no more. */
  async spend(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
    const row = await tx.maybe(sql`
      update conversation_tokens set used_count = used_count + 1
       where organization_id = ${organization_id} and id = ${id} and (max_count is null or used_count < max_count)
      returning id`);
    return row !== null;
  },

  async giveBack(tx: Transaction, organization_id: string, id: string): Promise<void> {
    await tx.run(sql`
      update conversation_tokens set used_count = greatest(0, used_count - 1)
       where organization_id = ${organization_id} and id = ${id}`);
  },

  async deleteExpiredBefore(time: Date): Promise<void> {
    await db.run(sql`delete from conversation_tokens where expires_at < ${time}`);
  },
});
export type ConversationTokenStore = ReturnType<typeof conversationTokenStore>;
