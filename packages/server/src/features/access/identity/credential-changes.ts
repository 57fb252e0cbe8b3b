// Applies revoked rights on every process within a second. A change is a numbered row in the commit that takes the right away; each
// process reads the new rows and forgets only the callers that they are about.
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import { ttlCache } from '../../../platform/ttl-cache.ts';
import { type ChangesSince, credentialChangeStore } from './credential-change-store.ts';

/** What a change is about. Cached callers carry the names of everything that can end them. */
export const subjectOf = {
  /** One key, its descendants, and the tokens that they created. */
  credential: (credential_id: string): string => credential_id,
  /** Everything that acts for a person, in all organizations. */
  user: (user_id: string): string => `user:${user_id}`,
  /** Every credential of an organization. */
  organization: (organization_id: string): string => `organization:${organization_id}`,
};

/** Tells caches what to forget; null: everything. */
type Listener = (subjects: ReadonlySet<string> | null) => void;

const max_age_ms = 1000;
/** With more changes than this since the last look it is cheaper to forget everything. */
const max_changes = 1000;
const kept_ms = 3_600_000;

/** Names no subject for a change of a process of the previous release, or when rows are missing for another reason. */
function subjectsSince(seen: number, { version, changes }: ChangesSince): ReadonlySet<string> | null {
  if (changes.length !== version - seen) return null;
  return new Set(changes.map(({ subject }) => subject));
}

export function credentialChanges(deps: { db: Database; wall_clock: Clock }) {
  const { wall_clock } = deps;
  const store = credentialChangeStore(deps.db);
  const listeners: Listener[] = [];
  let seen = -1;
  const cache = ttlCache({
    max_age_ms,
    async load() {
      const seen_before = seen;
      const row = await store.since(seen_before, max_changes + 1);
      // A slower, earlier read must not take the position back.
      if (row.version <= seen) return seen;
      const subjects = seen_before === -1 ? null : subjectsSince(seen_before, row);
      seen = row.version;
      for (const listener of listeners) listener(subjects);
      return seen;
    },
  });
  return {
    /** At most a second old. Caches have forgotten what changed until then. */
    get: cache.get,
    /** Reads now. */
    async refresh(): Promise<void> {
      cache.forget();
      await cache.get();
    },
    onChange: (listener: Listener): void => void listeners.push(listener),

    /**
     * In the transaction that takes a right away. The lock of the row makes changes commit in the order of their numbers, so that
     * no process overlooks one.
     */
    async write(tx: Transaction, ...subjects: string[]): Promise<void> {
      tx.afterCommit(cache.forget);
      await store.insert(tx, subjects, wall_clock.now());
    },

    jobs: [
      {
        kind: 'forget_credential_changes',
        every_seconds: 600,
        run: () => store.deleteBefore(new Date(wall_clock.ms() - kept_ms)),
      },
    ] satisfies JobHandler[],
  };
}
export type CredentialChanges = ReturnType<typeof credentialChanges>;
