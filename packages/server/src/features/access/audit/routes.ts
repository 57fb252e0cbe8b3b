// The HTTP operations of the audit log.
import { auditLog as operations } from '@parley/contract/access/admin';
import { routesOf } from '../../../platform/http/context.ts';
import type { AuditLog } from './log.ts';

export const auditRoutes = (log: AuditLog) =>
  routesOf(operations, {
    list: ({ query }) => log.list(query),
  });
