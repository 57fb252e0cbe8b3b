// Every database column whose values are sealed with the master key. Key rotation re-seals exactly these.

import { provider_sealed_columns } from '../features/access/provider-settings/index.ts';
import { agent_sealed_columns } from '../features/agents/agents/index.ts';
import { mcp_server_sealed_columns } from '../features/agents/mcp-servers/index.ts';
import { agent_runtime_sealed_columns } from '../features/agents/runtime/index.ts';
import { tool_sealed_columns } from '../features/agents/tools/index.ts';
import { call_sealed_columns } from '../features/channels/calls/index.ts';
import { email_domain_sealed_columns } from '../features/channels/email-domains/index.ts';
import { system_mail_sealed_columns } from '../features/channels/system-mail/index.ts';
import { verification_sealed_columns } from '../features/channels/verifications/index.ts';
import { receipt_sealed_columns } from '../features/inbox/receipts/index.ts';
import { erasure_sealed_columns } from '../features/operations/erasures/index.ts';
import { webhook_sealed_columns } from '../features/operations/webhooks/index.ts';
import type { SealedColumn } from '../platform/db/rewrap.ts';
import { master_key_sealed_columns } from '../platform/master-keys.ts';

export const sealed_columns: readonly SealedColumn[] = [
  ...webhook_sealed_columns,
  ...provider_sealed_columns,
  ...email_domain_sealed_columns,
  ...call_sealed_columns,
  ...agent_sealed_columns,
  ...agent_runtime_sealed_columns,
  ...tool_sealed_columns,
  ...mcp_server_sealed_columns,
  ...receipt_sealed_columns,
  ...verification_sealed_columns,
  ...erasure_sealed_columns,
  ...system_mail_sealed_columns,
  ...master_key_sealed_columns,
];
