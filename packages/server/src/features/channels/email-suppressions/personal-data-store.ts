// The SQL that keeps what a person refused by email without saying who it was: a keyed hash replaces the address.
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const emailSuppressionPersonalData: PersonalData = {
  owner: 'channels/email-suppressions',
  tables: {
    email_suppressions: { erased: 'recipient recipient_key', kept: { 'kinds of refusals': 'reason source' } },
  },
  /** A row with the hash may exist from an earlier erasure of the same person. */
  async erase(tx, { organization_id, keys, text, keep_suppression, created_at, hashOf }) {
    const own = sql`organization_id = ${organization_id}`;
    // What the erasure itself refused, to stop new sends while it runs.
    if (!keep_suppression)
      await tx.run(sql`
        delete from email_suppressions where ${own} and created_at >= ${created_at}::timestamptz
           and recipient_key = any(${[...keys]}) and source = 'revocation'`);
    for (const key of keys) {
      const hash = hashOf(key);
      await tx.run(sql`
        update email_suppressions set recipient = ${text}, recipient_key = ${hash} where ${own} and recipient_key = ${key}
           and not exists (select from email_suppressions where ${own} and recipient_key = ${hash})`);
      await tx.run(sql`delete from email_suppressions where ${own} and recipient_key = ${key}`);
    }
    return {};
  },
};
