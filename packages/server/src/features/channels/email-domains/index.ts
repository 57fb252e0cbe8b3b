// Email domains: the addresses an organization sends from and receives at.
export type { SigningKey } from '../../../protocols/mail/dkim/sign.ts';

import type { SealedColumn } from '../../../platform/db/rewrap.ts';

export type { DomainDns } from './dns/check-dns.ts';
export { addForwardPages } from './forwards/forward-pages.ts';
export { emailDomainRoutes } from './routes.ts';
export type { IsReceivedHere } from './senders/received-here.ts';
export type { Receiver } from './senders/receiver-store.ts';
export type { Sender } from './senders/sender-store.ts';
export { type EmailDomainDeps, type EmailDomainService, emailDomainService } from './service.ts';

export const email_domain_sealed_columns: readonly SealedColumn[] = [
  { table: 'email_domains', column: 'dkim_private_key' },
  { table: 'service_mail_keys', column: 'private_key' },
];
