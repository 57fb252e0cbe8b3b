// Email domains: the addresses an organization sends from and receives at.
export { emailDomainRoutes } from './routes.ts';
export { type EmailDomainDeps, type EmailDomainService, emailDomainService } from './service.ts';
export type { Receiver, Sender } from './store.ts';
