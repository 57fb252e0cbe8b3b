// The storage quota: how many bytes an organization may have in the object storage, and how many it has.
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import { leftOf, storageRoutes } from './routes.ts';
import { type StorageQuotaStore, storageQuotaStore } from './store.ts';

const mebibyte = 1024 * 1024;
/** Close to the quota, every question is answered by the database. */
const exact_below_bytes = 64 * mebibyte;
const cache_ms = 2000;
const max_cached = 10_000;
const fold_rows = 5000;

export type StorageQuota = {
  /** How many bytes the organization may still store; null without a quota. */
  left(organization_id: string): Promise<number | null>;
  /** Throws if the bytes exceed the quota. */
  check(organization_id: string, bytes: number): Promise<void>;
  /** Call it after an object was stored. */
  stored(organization_id: string, bytes: number): void;
  /** Writes the record of a stored object. Close to the quota one at a time, so that many at once do not exceed it together. */
  commit(organization_id: string, bytes: number, write: (on: Queryable) => Promise<unknown>): Promise<void>;
  exceeded(): ApiError;
};
type Known = { left_bytes: number | null; until_ms: number };

/** `quota_mb` applies to organizations without a quota of their own; 0 means none. */
export function storageQuota(deps: { db: Database; quota_mb: number }) {
  const store = storageQuotaStore(deps.db);
  const default_max = deps.quota_mb === 0 ? null : deps.quota_mb * mebibyte;
  const cached_usage = new Map<string, Known>();

  const read = async (organization_id: string): Promise<number | null> => {
    const until_ms = performance.now() + cache_ms;
    const { bytes, max_bytes } = await store.usage(organization_id);
    const left_bytes = leftOf(max_bytes ?? default_max, bytes);
    if (cached_usage.size >= max_cached) cached_usage.clear();
    cached_usage.set(organization_id, { left_bytes, until_ms });
    return left_bytes;
  };
  const left = async (organization_id: string): Promise<number | null> => {
    const cached = cached_usage.get(organization_id);
    return isFar(cached) ? cached.left_bytes : read(organization_id);
  };
  const stored = (organization_id: string, bytes: number) => {
    const cached = cached_usage.get(organization_id);
    if (cached && cached.left_bytes !== null) cached.left_bytes -= bytes;
  };

  return {
    left,
    async check(organization_id: string, bytes: number) {
      const left_bytes = await left(organization_id);
      if (left_bytes !== null && left_bytes < bytes) throw exceeded();
    },
    stored,
    async commit(organization_id: string, bytes: number, write: (on: Queryable) => Promise<unknown>) {
      if (isFar(cached_usage.get(organization_id))) await write(deps.db);
      else
        await deps.db.transaction(async (tx) => {
          const { bytes: used, max_bytes } = await store.lockedUsage(tx, organization_id);
          const left_bytes = leftOf(max_bytes ?? default_max, used);
          if (left_bytes !== null && left_bytes < bytes) throw exceeded();
          await write(tx);
        });
      stored(organization_id, bytes);
    },
    exceeded,
    routes: [storageRoutes(store, default_max)],
    jobs: [countJob(store)],
  };
}

/** The number is recent, and there is much space left. */
const isFar = (known: Known | undefined): known is Known =>
  known !== undefined &&
  known.until_ms > performance.now() &&
  (known.left_bytes === null || known.left_bytes > exact_below_bytes);

export const exceeded = () =>
  new ApiError('storage_full', {
    detail: 'The organization has reached its storage quota.',
    fix: 'Set a shorter retention, wait until unused uploads expire, or ask the operator for a larger quota. GET /v1/organization/storage shows what is stored.',
  });

/** The count is made once in the life of a database. */
const countJob = (store: StorageQuotaStore): JobHandler => ({
  kind: 'count_stored_bytes',
  every_seconds: 3600,
  lease_seconds: 1800,
  async run(_, signal) {
    if (!(await store.isCounted())) await store.count();
    while (!signal.aborted && (await store.fold(fold_rows)) === fold_rows);
  },
});
