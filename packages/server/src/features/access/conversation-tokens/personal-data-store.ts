// The SQL that deletes the tokens of conversations that are deleted.
import { ofOrganization } from '../../../platform/db/old-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const conversationTokenPersonalData: PersonalData = {
  owner: 'access/conversation-tokens',
  deleteCopies: (tx, organization_id, ids) =>
    tx.run(
      sql`delete from conversation_tokens where ${ofOrganization(organization_id, 'conversation_id', ids)}`,
    ),
};
