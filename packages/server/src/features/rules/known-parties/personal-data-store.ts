// The SQL that forgets that an erased person is known.
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const knownPartyPersonalData: PersonalData = {
  owner: 'rules/known-parties',
  tables: {
    known_parties: { erased: '*' },
  },
  async erase(tx, { organization_id, keys }) {
    await tx.run(sql`
      delete from known_parties where organization_id = ${organization_id} and party = any(${[...keys]})`);
    return {};
  },
};
