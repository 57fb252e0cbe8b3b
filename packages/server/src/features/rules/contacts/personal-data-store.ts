// The SQL that deletes the contacts of an erased person.
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const contactPersonalData: PersonalData = {
  owner: 'rules/contacts',
  tables: {
    contacts: { erased: '*' },
  },
  async erase(tx, { organization_id, contact_id, keys }) {
    const contacts = await tx.run(sql`
      delete from contacts where organization_id = ${organization_id} and kind = 'contact'
         and (id = ${contact_id}::uuid or phone_e164 = any(${[...keys]}) or email_key = any(${[...keys]}))`);
    return { contacts };
  },
};
