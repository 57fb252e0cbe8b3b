// The SQL that deletes an erased person from search until the projector writes the records again.
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const searchPersonalData: PersonalData = {
  owner: 'inbox/search',
  tables: {
    search_documents: { erased: '*' },
  },
  async erase(tx, { organization_id, contact_id, records }) {
    const search_documents = await tx.run(sql`
      delete from search_documents
       where organization_id = ${organization_id} and (id = ${contact_id}::uuid or id in ${records})`);
    return { search_documents };
  },
};
