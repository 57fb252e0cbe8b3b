// The SQL that keeps what a person refused and agreed to without saying who it was: keyed hashes replace the recipients.
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { PartyHash } from '../../../../platform/party-hash.ts';
import type { Erased } from '../person/erased.ts';
import { keysOf } from '../person/person.ts';

/** Returns how many consents there were. */
export async function hashRefusals(tx: Transaction, erased: Erased, partyHash: PartyHash): Promise<number> {
  if (!erased.keep_suppression) await removeOwnRefusals(tx, erased);
  let consents = 0;
  for (const key of keysOf(erased.person))
    consents += await hashParty(tx, erased, key, partyHash(erased.organization_id, key));
  return consents;
}

/** What the erasure itself refused, to stop new sends while it runs. */
async function removeOwnRefusals(
  tx: Transaction,
  { organization_id, created_at, person }: Erased,
): Promise<void> {
  const keys = keysOf(person);
  const since = sql`organization_id = ${organization_id} and created_at >= ${created_at}::timestamptz`;
  await tx.run(sql`
    delete from consent_revocations where ${since} and recipient_key = any(${keys}) and kind = 'api' and consent_id is null`);
  await tx.run(sql`
    delete from email_suppressions where ${since} and recipient_key = any(${keys}) and source = 'revocation'`);
  await tx.run(sql`
    delete from sms_suppressions where ${since} and recipient = any(${keys}) and source = 'revocation'`);
}

/** A row with the hash may exist from an earlier erasure of the same person. */
async function hashParty(
  tx: Transaction,
  { organization_id, text }: Erased,
  key: string,
  hash: string,
): Promise<number> {
  const own = sql`organization_id = ${organization_id}`;
  await tx.run(sql`
    update email_suppressions set recipient = ${text}, recipient_key = ${hash} where ${own} and recipient_key = ${key}
       and not exists (select from email_suppressions where ${own} and recipient_key = ${hash})`);
  await tx.run(sql`delete from email_suppressions where ${own} and recipient_key = ${key}`);
  await tx.run(sql`
    update sms_suppressions set recipient = ${hash} where ${own} and channel = 'sms' and recipient = ${key}
       and not exists (select from sms_suppressions where ${own} and channel = 'sms' and recipient = ${hash})`);
  await tx.run(sql`delete from sms_suppressions where ${own} and recipient = ${key}`);
  await tx.run(sql`
    update consent_revocations set recipient_key = ${hash}, quote = null where ${own} and recipient_key = ${key}`);
  return tx.run(sql`
    update consents set recipient = ${text}, recipient_key = ${hash}, proof_attachment_id = null,
           source = json_build_object('kind', source -> 'kind', 'captured_at', source -> 'captured_at')
     where ${own} and recipient_key = ${key}`);
}
