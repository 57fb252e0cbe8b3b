// Conversation tokens: credentials that read one conversation and write only to the people who wrote in it.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { ttlCache } from '../../platform/ttl-cache.ts';
import type { AuditLog } from '../audit/index.ts';
import { identityStore } from '../identity/index.ts';
import { conversationTokenAuthenticator } from './authenticate.ts';
import { conversationTokenRoutes } from './routes.ts';
import { tokenScope } from './scope.ts';
import { conversationTokenService } from './service.ts';
import { conversationTokenStore } from './store.ts';
import { threadStore } from './thread-store.ts';

/** Every process applies a revocation within this time. */
const credentials_age_ms = 1000;
/** Records of a token wait at most this long for an approval. */
const kept_days = 8;

export function conversationTokenFeature(deps: { db: Database; clock: Clock; ids: Ids; audit: AuditLog }) {
  const { db, clock } = deps;
  const identities = identityStore(db);
  const store = conversationTokenStore(db);
  const threads = threadStore(db);
  const scope = tokenScope(threads);
  const version = ttlCache({ load: () => identities.credentialsVersion(), max_age_ms: credentials_age_ms });
  const service = conversationTokenService({ ...deps, store, scope, identities, version });
  const jobs: JobHandler[] = [
    {
      kind: 'forget_conversation_tokens',
      every_seconds: 3600,
      run: () => store.deleteExpiredBefore(new Date(clock.ms() - kept_days * 86_400_000)),
    },
  ];
  return {
    routes: [conversationTokenRoutes(service)],
    jobs,
    authenticator: conversationTokenAuthenticator({ store, version, clock, scope }),
    /** For admission. */
    gate: {
      threads: scope.load,
      writers: threads.writers,
      exists: store.exists,
      spend: store.spend,
      giveBack: store.giveBack,
    },
  };
}
export type ConversationGate = ReturnType<typeof conversationTokenFeature>['gate'];
