// The storage quota: how much an organization may keep in the object storage. Without a quota nothing is asked or counted.
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { storageQuotaStore } from './store.ts';

const mebibyte = 1024 * 1024;
/** So long a sum is good; what this process stores meanwhile is added to it. Other processes are seen with the next sum. */
const sum_ms = 30_000;
const max_sums = 10_000;

export type StorageQuota = {
  /** How many bytes the organization may still store; null without a quota. */
  left(organization_id: string): Promise<number | null>;
  /** Refuses what does not fit. */
  check(organization_id: string, bytes: number): Promise<void>;
  /** These bytes were stored. */
  stored(organization_id: string, bytes: number): void;
  exceeded(): ApiError;
};

/** `quota_mb` 0: no quota. */
export function storageQuota(deps: { db: Database; quota_mb: number }): StorageQuota {
  const store = storageQuotaStore(deps.db);
  const quota_bytes = deps.quota_mb * mebibyte;
  const sums = new Map<string, { bytes: number; until_ms: number }>();

  const used = async (organization_id: string): Promise<number> => {
    const known = sums.get(organization_id);
    if (known && known.until_ms > performance.now()) return known.bytes;
    const until_ms = performance.now() + sum_ms;
    const bytes = await store.used(organization_id);
    if (sums.size >= max_sums) sums.clear();
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
      const known = sums.get(organization_id);
      if (known) known.bytes += bytes;
    },
    exceeded,
  };
}
