// Audit: who did what to credentials, people and the service.
export { type Actor, type AuditLog, actorOf, auditLog } from './log.ts';
export { auditRoutes } from './routes.ts';
