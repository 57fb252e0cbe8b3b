// Every database column whose values are sealed with the master key. Key rotation re-seals exactly these.
import { call_sealed_columns } from '../features/calls/index.ts';
import { email_domain_sealed_columns } from '../features/email-domains/index.ts';
import { provider_sealed_columns } from '../features/provider-settings/index.ts';
import { system_mail_sealed_columns } from '../features/system-mail/index.ts';
import { webhook_sealed_columns } from '../features/webhooks/index.ts';
import type { SealedColumn } from '../platform/db/rewrap.ts';
import { master_key_sealed_columns } from '../platform/master-keys.ts';

export const sealed_columns: readonly SealedColumn[] = [
  ...webhook_sealed_columns,
  ...provider_sealed_columns,
  ...email_domain_sealed_columns,
  ...call_sealed_columns,
  ...system_mail_sealed_columns,
  ...master_key_sealed_columns,
];
