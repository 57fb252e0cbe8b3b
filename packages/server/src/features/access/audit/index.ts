// Audit: the log of changes to credentials, users and the service.
import { auditLog } from './log.ts';
import { auditRoutes } from './routes.ts';

export { type Actor, type AuditLog, actorOf } from './log.ts';

export function auditFeature(deps: Parameters<typeof auditLog>[0]) {
  const log = auditLog(deps);
  return { log, routes: [auditRoutes(log)] };
}
