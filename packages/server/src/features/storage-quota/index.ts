// The storage quota: how many bytes an organization may have in the object storage. Without a quota nothing is counted.
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { storageQuotaStore } from './store.ts';

const mebibyte = 1024 * 1024;
/** Sums are cached this long. This process adds what it stores; objects of other processes are counted by the next sum. */
const cache_ms = 30_000;
const max_cached_sums = 10_000;

export type StorageQuota = {
  /** How many bytes the organization may still store; null without a quota. */
  left(organization_id: string): Promise<number | null>;
  /** Throws if the bytes exceed the quota. */
  check(organization_id: string, bytes: number): Promise<void>;
  /** Call it after an object was stored. */
  stored(organization_id: string, bytes: number): void;
  exceeded(): ApiError;
};

/** `quota_mb` 0 means no quota. */
export function storageQuota(deps: { db: Database; quota_mb: number }): StorageQuota {
  const store = storageQuotaStore(deps.db);
  const quota_bytes = deps.quota_mb * mebibyte;
  const sums = new Map<string, { bytes: number; until_ms: number }>();

  const used = async (organization_id: string): Promise<number> => {
    const cached = sums.get(organization_id);
    if (cached && cached.until_ms > performance.now()) return cached.bytes;
    const until_ms = performance.now() + cache_ms;
    const bytes = await store.used(organization_id);
    if (sums.size >= max_cached_sums) sums.clear();
    sums.set(organization_id, { bytes, until_ms });
    return bytes;
  };
  const left = async (organization_id: string) =>
    quota_bytes === 0 ? null : Math.max(0, quota_bytes - (await used(organization_id)));
  const exceeded = () =>
    new ApiError('storage_quota_exceeded', { detail: `An organization may store ${deps.quota_mb} MB here.` });

  return {
    left,
    async check(organization_id, bytes) {
      const left_bytes = await left(organization_id);
      if (left_bytes !== null && left_bytes < bytes) throw exceeded();
    },
    stored(organization_id, bytes) {
      const cached = sums.get(organization_id);
      if (cached) cached.bytes += bytes;
    },
    exceeded,
  };
}
