// The SQL that deletes what the sandbox sent to an erased person.
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const sandboxOutboxPersonalData: PersonalData = {
  owner: 'operations/sandbox-outbox',
  tables: {
    sandbox_outbox: { erased: '*' },
  },
  async erase(tx, { organization_id, records }) {
    await tx.run(sql`
      delete from sandbox_outbox where organization_id = ${organization_id} and resource_id in ${records}`);
    return {};
  },
};
