// The SQL of the result of a conversation, as the API shows it.
import { sql } from '../../../platform/db/sql.ts';

export const conversationResultColumns = sql`json_build_object(
  'status', status, 'agent_id', agent_id, 'channel', channel, 'result', result, 'result_error', result_error,
  'result_engine', result_engine, 'evidence', evidence, 'summary', summary, 'success', success,
  'success_reason', success_reason, 'requested_at', iso(requested_at), 'settled_at', iso(settled_at))`;
