// The SQL that takes the person out of receipts. They stay valid: their signed part has only salted hashes, and the salts are
// deleted.
import { ofOrganization } from '../../../platform/db/old-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const receiptPersonalData: PersonalData = {
  owner: 'inbox/receipts',
  tables: {
    receipts: {
      erased: 'disclosures',
      kept: { 'signed, with salted hashes of the person only': 'noun kid jws' },
    },
    receipts_due: { kept: { kinds: 'noun' } },
    receipt_chains: { kept: { hashes: 'last_sha256' } },
  },
  deleteCopies: (tx, organization_id, ids) =>
    tx.run(sql`
      update receipts set disclosures = null
       where ${ofOrganization(organization_id, 'object_id', ids)} and disclosures is not null`),
  async erase(tx, { organization_id, pattern, replace, records }) {
    const receipts = await tx.rows<{ id: string; disclosures: string }>(
      sql.replanned(sql`
        select id, disclosures::text as disclosures from receipts
         where organization_id = ${organization_id} and disclosures::text ~* ${pattern}`),
    );
    const named = receipts.filter(({ disclosures }) => replace(disclosures) !== disclosures);
    const receipts_unlinked = await tx.run(
      sql.replanned(sql`
        update receipts set disclosures = null
         where organization_id = ${organization_id} and disclosures is not null
           and (object_id in ${records} or id = any(${named.map(({ id }) => id)}::uuid[]))`),
    );
    return { receipts_unlinked };
  },
};
