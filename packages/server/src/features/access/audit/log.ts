// The audit log. An entry is written in the transaction of its change: both are committed or neither.
import type { AuditEntry } from '@parley/contract/access/admin';
import { nil_uuid } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { auditStore } from './store.ts';

/** The user and credential that act, and the request. */
export type Actor = Pick<AuditEntry, 'user_id' | 'credential_id' | 'ip' | 'request_id'>;

export const actorOf = (context: Context): Actor => {
  const { user_id } = context.caller.identity;
  return {
    user_id: user_id === nil_uuid ? null : user_id,
    credential_id: context.caller.credential_id,
    ip: context.ip(),
    request_id: context.request_id,
  };
};

export function auditLog(deps: { db: Database; clock: Clock; ids: Ids }) {
  const store = auditStore(deps.db);
  return {
    write: (
      on: Queryable,
      actor: Actor,
      entry: {
        organization_id: string | null;
        action: string;
        object_id: string | null;
        detail?: Record<string, unknown>;
      },
    ): Promise<void> =>
      store.insert(on, {
        id: deps.ids.next(),
        organization_id: entry.organization_id,
        user_id: actor.user_id,
        credential_id: actor.credential_id,
        action: entry.action,
        object_id: entry.object_id,
        ip: actor.ip,
        request_id: actor.request_id,
        detail: entry.detail ?? {},
        created_at: deps.clock.now().toISOString(),
      }),
    /** For entries that unauthenticated clients can cause; all others stay. */
    forget: (action: string, before: Date): Promise<void> => store.forget(action, before),
    list: (query: PageRequest & { organization_id?: string | undefined; action?: string | undefined }) =>
      store.list(query),
  };
}
export type AuditLog = ReturnType<typeof auditLog>;
