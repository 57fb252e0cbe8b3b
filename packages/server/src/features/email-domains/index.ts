// Email domains: the addresses an organization sends from and receives at.
export type { SigningKey } from '../../protocols/mail/dkim/sign.ts';
export { addForwardPages } from './forward-pages.ts';
export { emailDomainRoutes } from './routes.ts';
export { type EmailDomainDeps, type EmailDomainService, emailDomainService } from './service.ts';
export type { Receiver, Sender } from './store.ts';
