// Email suppressions: addresses that get no more email because they bounced, complained, unsubscribed or were added by the caller.
import {
  type EmailSuppression,
  emailSuppressions,
  type suppressionReasons,
} from '@parley/contract/email-suppressions';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { routesOf } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import { emailSuppressionStore } from './store.ts';

export function emailSuppressionFeature(deps: { db: Database; clock: Clock; ids: Ids }) {
  const store = emailSuppressionStore(deps.db);

  const suppress = (
    organization_id: string,
    entry: { recipient: string; reason: (typeof suppressionReasons)[number]; source: string },
    on?: Queryable,
  ): Promise<EmailSuppression> =>
    store.add(
      organization_id,
      { id: deps.ids.next(), channel: 'email', created_at: deps.clock.now().toISOString(), ...entry },
      on,
    );

  return {
    suppress,
    amongQuery: store.amongQuery,
    among: store.among,
    routes: routesOf(emailSuppressions, {
      create: ({ body }, { organization_id }) =>
        suppress(organization_id, {
          recipient: body.recipient,
          reason: body.reason ?? 'manual',
          source: 'api',
        }),
      list: ({ query }, { organization_id }) => store.list(organization_id, query),
      async delete({ params }, { organization_id }) {
        if (!(await store.remove(organization_id, params.suppression_id))) throw new ApiError('not_found');
        return undefined;
      },
    }),
  };
}
export type EmailSuppressions = ReturnType<typeof emailSuppressionFeature>;
