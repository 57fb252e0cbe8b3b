// The SQL that forgets how often an erased person was contacted.
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const recipientLimitPersonalData: PersonalData = {
  owner: 'rules/recipient-limits',
  tables: {
    person_uses: { erased: '*' },
    new_recipient_uses: { kept: { kinds: 'channel' } },
  },
  async erase(tx, { organization_id, keys }) {
    await tx.run(sql`
      delete from person_uses where organization_id = ${organization_id} and party = any(${[...keys]})`);
    return {};
  },
};
