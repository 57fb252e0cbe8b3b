// The SQL that keeps what a person refused and agreed to without saying who it was: keyed hashes replace the recipients.
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { ErasedPerson, PersonalData } from '../../../platform/personal-data.ts';

/** Returns how many consents there were. */
async function hashRecipients(
  tx: Transaction,
  { organization_id, keys, text, keep_suppression, created_at, hashOf }: ErasedPerson,
): Promise<number> {
  const own = sql`organization_id = ${organization_id}`;
  // What the erasure itself refused, to stop new sends while it runs.
  if (!keep_suppression)
    await tx.run(sql`
      delete from consent_revocations where ${own} and created_at >= ${created_at}::timestamptz
         and recipient_key = any(${[...keys]}) and kind = 'api' and consent_id is null`);
  await tx.run(sql`delete from suspected_revocations where ${own} and recipient_key = any(${[...keys]})`);
  let consents = 0;
  for (const key of keys) {
    await tx.run(sql`
      update consent_revocations set recipient_key = ${hashOf(key)}, quote = null where ${own} and recipient_key = ${key}`);
    consents += await tx.run(sql`
      update consents set recipient = ${text}, recipient_key = ${hashOf(key)}, proof_attachment_id = null,
             source = json_build_object('kind', source -> 'kind', 'captured_at', source -> 'captured_at')
       where ${own} and recipient_key = ${key}`);
  }
  return consents;
}

export const consentPersonalData: PersonalData = {
  owner: 'rules/consents',
  tables: {
    consents: {
      erased: 'recipient recipient_key source',
      kept: { 'what was agreed to': 'channels purposes basis recorded_by' },
    },
    consent_revocations: { erased: 'recipient_key quote', kept: { kinds: 'channel kind' } },
    suspected_revocations: { erased: '*' },
  },
  /** The files that prove a consent of the person go too, unless an email has them. */
  async erasePage({ db, removeObjects }, person) {
    const { organization_id, keys } = person;
    const proofs = await db.rows<{ id: string; key: string }>(sql`
      select a.id, a.storage_key as key from consents c join email_attachments a on a.id = c.proof_attachment_id
       where c.organization_id = ${organization_id} and a.organization_id = c.organization_id
         and c.recipient_key = any(${[...keys]})
         and not exists (select from email_attachment_uses u where u.attachment_id = a.id)`);
    await removeObjects(proofs.map(({ key }) => key));
    const consents = await db.transaction(async (tx) => {
      const hashed = await hashRecipients(tx, person);
      await tx.run(sql`
        delete from email_attachments
         where organization_id = ${organization_id} and id = any(${proofs.map(({ id }) => id)}::uuid[])`);
      return hashed;
    });
    return { reached: null, counts: { consents, attachments: proofs.length } };
  },
};
