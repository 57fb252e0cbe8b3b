// Email suppressions: addresses that get no more email because they bounced, complained, unsubscribed or were added by the caller.
import {
  type EmailSuppression,
  emailSuppressions,
  type suppressionReasons,
} from '@parley/contract/channels/emails/email-suppressions';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Context, isPerson, routesOf } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';
import { type EmailSuppressionStore, emailSuppressionStore } from './store.ts';

export { emailSuppressionPersonalData } from './personal-data-store.ts';

type Deps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  partyHash: PartyHash;
  revocations: Pick<ConsentRevocations, 'lift' | 'requireMayUnsuppress'>;
};

export function emailSuppressionFeature(deps: Deps) {
  const store = emailSuppressionStore(deps.db, deps.partyHash);

  const suppress = (
    organization_id: string,
    entry: { recipient: string; reason: (typeof suppressionReasons)[number]; source: string },
    on?: Queryable,
    is_by_program = false,
  ): Promise<EmailSuppression> =>
    store.add(
      organization_id,
      { id: deps.ids.next(), channel: 'email', created_at: deps.clock.now().toISOString(), ...entry },
      { on, is_by_program },
    );

  return {
    suppress,
    amongQuery: store.amongQuery,
    among: store.among,
    routes: routesOf(emailSuppressions, {
      create: ({ body: { recipient, reason = 'manual' } }, { organization_id, caller }) =>
        suppress(
          organization_id,
          { recipient, reason, source: 'api' },
          deps.db,
          // The other reasons say what the recipient or the mail server did.
          reason === 'manual' && !isPerson(caller),
        ),
      list: ({ query }, { organization_id }) => store.list(organization_id, query),
      delete: ({ params }, context) => lift(deps, store, context, params.suppression_id),
    }),
  };
}
export type EmailSuppressions = ReturnType<typeof emailSuppressionFeature>;

/** The audit log says who allowed emails to the address again. */
async function lift(
  deps: Deps,
  store: EmailSuppressionStore,
  context: Context,
  id: string,
): Promise<undefined> {
  const { organization_id } = context;
  await deps.db.transaction(async (tx) => {
    const removed = await store.remove(tx, organization_id, id);
    if (!removed) throw new ApiError('not_found');
    const { is_refused } = await deps.revocations.requireMayUnsuppress(tx, context, {
      ...removed,
      channel: 'email',
    });
    if (is_refused) await deps.revocations.lift(tx, organization_id, removed.recipient, ['email']);
    const { recipient, reason } = removed;
    const detail = { recipient, reason };
    const entry = { organization_id, action: 'email_suppression.deleted', object_id: id, detail };
    await deps.audit.write(tx, actorOf(context), entry);
  });
}
