// The HTTP operation that shows how much an organization has stored.
import { type OrganizationStorage, type StorageKind, storage } from '@parley/contract/rules/spending/storage';
import { routesOf } from '../../../platform/http/context.ts';
import type { StorageQuotaStore } from './store.ts';

export const leftOf = (max: number | null, used: number): number | null =>
  max === null ? null : Math.max(0, max - used);

/** `default_max`: the quota of organizations without their own. */
export const storageRoutes = (store: StorageQuotaStore, default_max: number | null) =>
  routesOf(storage, {
    async get(_, { organization_id }): Promise<OrganizationStorage> {
      const [{ bytes, max_bytes }, stored] = await Promise.all([
        store.usage(organization_id),
        store.byKind(organization_id),
      ]);
      const max = max_bytes ?? default_max;
      const of = (kind: StorageKind) => stored.find((each) => each.kind === kind)?.bytes ?? 0;
      return {
        used_bytes: bytes,
        max_bytes: max,
        left_bytes: leftOf(max, bytes),
        kinds: {
          attachments: of('attachments'),
          raw_messages: of('raw_messages'),
          recordings: of('recordings'),
          documents: of('documents'),
        },
      };
    },
  });
