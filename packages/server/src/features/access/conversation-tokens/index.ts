// Conversation tokens: credentials that read one conversation and write only to the people who wrote in it.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { AuditLog } from '../audit/index.ts';
import type { CredentialChanges } from '../identity/index.ts';
import { conversationTokenAuthenticator } from './authenticate.ts';
import { conversationTokenRoutes } from './routes.ts';
import { tokenScope } from './scope.ts';
import { conversationTokenService } from './service.ts';
import { conversationTokenStore } from './store.ts';
import { threadStore } from './thread-store.ts';

export { conversationTokenPersonalData } from './personal-data-store.ts';

/** Records of a token wait at most this long for an approval. */
const kept_days = 8;

export function conversationTokenFeature(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  changes: CredentialChanges;
}) {
  const { db, clock } = deps;
  const store = conversationTokenStore(db);
  const threads = threadStore(db);
  const scope = tokenScope(threads);
  const service = conversationTokenService({ ...deps, store, scope });
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
    authenticator: conversationTokenAuthenticator({ ...deps, store, scope }),
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
