// Email domains: the addresses an organization sends from and receives at.
export type { SigningKey } from '../../protocols/mail/dkim/sign.ts';

import type { SealedColumn } from '../../platform/db/rewrap.ts';

export type { DomainDns } from './check-dns.ts';
export { addForwardPages } from './forward-pages.ts';
export type { IsReceivedHere } from './received-here.ts';
export type { Receiver } from './receiver-store.ts';
export { emailDomainRoutes } from './routes.ts';
export type { Sender } from './sender-store.ts';
export { type EmailDomainDeps, type EmailDomainService, emailDomainService } from './service.ts';

export const email_domain_sealed_columns: readonly SealedColumn[] = [
  { table: 'email_domains', column: 'dkim_private_key' },
  { table: 'service_mail_keys', column: 'private_key' },
];
