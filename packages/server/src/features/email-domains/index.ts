// Email domains: the addresses an organization sends from and receives at.
export type { SigningKey } from '../../protocols/mail/dkim/sign.ts';

import type { SealedColumn } from '../../platform/db/rewrap.ts';

export { addForwardPages } from './forward-pages.ts';
export { emailDomainRoutes } from './routes.ts';
export { type EmailDomainDeps, type EmailDomainService, emailDomainService } from './service.ts';
export type { Receiver, Sender } from './store.ts';

export const email_domain_sealed_columns: readonly SealedColumn[] = [
  { table: 'email_domains', column: 'dkim_private_key' },
  { table: 'service_mail_keys', column: 'private_key' },
];
