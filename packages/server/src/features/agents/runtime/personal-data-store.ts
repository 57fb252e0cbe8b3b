// The SQL that erases what tools were asked and answered about records.
import { ofOrganization } from '../../../platform/db/old-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const agentRuntimePersonalData: PersonalData = {
  owner: 'agents/runtime',
  tables: {
    tool_calls: {
      erased: 'arguments outcome',
      kept: { 'names, states and hashes': 'name kind effect status arguments_hash tool_sha256' },
    },
    suspended_replies: { erased: '*' },
  },
  async eraseCopies(tx, { organization_id, ids }) {
    let tool_calls = 0;
    for (const column of ['call_id', 'message_id'])
      tool_calls += await tx.run(sql`
        update tool_calls set arguments = '{}', outcome = null where ${ofOrganization(organization_id, column, ids)}`);
    // An answer that waits for the approval of a tool call has the text of its message. It is not continued without the row.
    await tx.run(
      sql`delete from suspended_replies where ${ofOrganization(organization_id, 'message_id', ids)}`,
    );
    return { tool_calls };
  },
  async deleteCopies(tx, organization_id, ids) {
    for (const column of ['call_id', 'message_id'])
      await tx.run(sql`delete from tool_calls where ${ofOrganization(organization_id, column, ids)}`);
  },
};
