// The SQL that deletes old requests of an organization.
import { deleteOldRows } from '../../../platform/db/old-rows.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const requestLogPersonalData: PersonalData = {
  owner: 'operations/request-log',
  tables: {
    request_log: {
      kept: {
        'requests without their content: deleted after days':
          'request_id operation method path code credential_kind credential_id',
      },
    },
  },
  forget: {
    step: 'requests',
    kind: 'requests',
    count: 'requests',
    page_rows: 5000,
    deleteOld: ({ db }, organization_id, before, limit) =>
      deleteOldRows(db, 'request_log', { organization_id, before, limit }),
  },
};
