// The rules of provider settings: keys go in and never come out, and one provider a layer is active.
import {
  type ProviderConfiguration,
  type ProviderLayer,
  type ProviderSet,
  type ProviderTest,
  providerLayers,
} from '@parley/contract/providers';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import type { AddressPolicy } from '../../platform/egress/address-policy.ts';
import { checkUrl } from '../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { overHttp } from '../../providers/vendor-manifest.ts';
import { type AuditLog, actorOf } from '../audit/index.ts';
import type { Probe } from './probe.ts';
import { providerStore, type StoredProvider } from './store.ts';

/** What a call needs to use the organization's own provider. */
export type ActiveProvider = {
  provider: string;
  api_key: string;
  base_url: string;
  params: Record<string, unknown>;
  fallback_enabled: boolean;
};

export function providerSettings(deps: {
  db: Database;
  clock: Clock;
  sealer: Sealer;
  audit: AuditLog;
  known: readonly ProviderManifest[];
  policy: AddressPolicy;
  probe: Probe;
}) {
  const { db, clock, sealer, audit, known, policy } = deps;
  const store = providerStore(db);

  const layerOf = (text: string): ProviderLayer => {
    const layer = providerLayers.find((each) => each === text);
    if (!layer)
      throw new ApiError('not_found', { detail: 'There is no such layer; there are llm, stt and tts.' });
    return layer;
  };
  const manifestOf = (layer: ProviderLayer, provider: string): ProviderManifest | undefined =>
    known.find((each) => each.layer === layer && each.provider === provider);

  /** A key copied to another organization's row, layer or provider does not open there. */
  const sealContext = (organization_id: string, layer: ProviderLayer, provider: string) =>
    `provider_settings|${organization_id}|${layer}|${provider}`;

  const shown = ({ key_sealed: _, ...configuration }: StoredProvider): ProviderConfiguration => configuration;

  const opened = (
    organization_id: string,
    layer: ProviderLayer,
    stored: StoredProvider,
  ): ActiveProvider | null => {
    const manifest = manifestOf(layer, stored.provider);
    return (
      (manifest && {
        provider: stored.provider,
        api_key: sealer
          .open(stored.key_sealed, sealContext(organization_id, layer, stored.provider))
          .toString(),
        base_url:
          typeof stored.params.base_url === 'string' ? overHttp(stored.params.base_url) : manifest.base_url,
        params: stored.params,
        fallback_enabled: stored.fallback_enabled,
      }) ??
      null
    );
  };

  return {
    /** Whether the organization has a provider of its own for the layer, without opening its key. */
    has: async (organization_id: string, layer: ProviderLayer): Promise<boolean> =>
      (await store.active(organization_id, layer)) !== null,

    async list(organization_id: string) {
      return {
        items: await store.list(organization_id),
        next_cursor: null,
        known: known.map(({ layer, provider, params }) => ({ layer, provider, params: [...params] })),
      };
    },

    async set(context: Context, layer_text: string, given: ProviderSet): Promise<ProviderConfiguration> {
      const { organization_id } = context;
      const layer = layerOf(layer_text);
      const manifest = manifestOf(layer, given.provider);
      if (!manifest) throw new ApiError('unknown_provider', { path: 'body.provider' });
      const params = checkParams(manifest, given.params ?? {}, policy);
      const { provider, api_key } = given;
      return db.transaction(async (tx) => {
        await store.lock(tx, organization_id);
        const before = await store.find(organization_id, layer, provider, tx);
        const active = await store.active(organization_id, layer, tx);
        const row: StoredProvider = {
          layer,
          provider,
          key_sealed: sealer.seal(api_key, sealContext(organization_id, layer, provider)),
          key_last4: api_key.slice(-4),
          key_set_at: clock.now().toISOString(),
          params,
          fallback_enabled: given.fallback_enabled ?? false,
          is_active: before?.is_active ?? active === null,
        };
        await store.put(tx, organization_id, row);
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'provider.set',
          object_id: `${layer}/${provider}`,
          detail: { key_last4: row.key_last4 },
        });
        return shown(row);
      });
    },

    async activate(context: Context, layer_text: string, provider: string): Promise<ProviderConfiguration> {
      const { organization_id } = context;
      const layer = layerOf(layer_text);
      return db.transaction(async (tx) => {
        await store.lock(tx, organization_id);
        const active = await store.activate(tx, organization_id, layer, provider);
        if (!active) throw new ApiError('not_found', { detail: 'This provider was never set.' });
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'provider.activated',
          object_id: `${layer}/${provider}`,
        });
        return active;
      });
    },

    async test(
      organization_id: string,
      layer_text: string,
      provider: string | undefined,
    ): Promise<ProviderTest> {
      const layer = layerOf(layer_text);
      const stored = provider
        ? await store.find(organization_id, layer, provider)
        : await store.active(organization_id, layer);
      const settings = stored && opened(organization_id, layer, stored);
      if (!settings) throw new ApiError('not_found', { detail: 'This provider was never set.' });
      const manifest = manifestOf(layer, settings.provider)!;
      const answer = await deps.probe({
        url: settings.base_url + manifest.probe.path,
        headers: manifest.probe.headers(settings.api_key),
      });
      return { layer, provider: settings.provider, ...answer };
    },

    async remove(context: Context, layer_text: string, provider: string): Promise<undefined> {
      const { organization_id } = context;
      const layer = layerOf(layer_text);
      await db.transaction(async (tx) => {
        await store.lock(tx, organization_id);
        if (!(await store.remove(tx, organization_id, layer, provider))) throw new ApiError('not_found');
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'provider.removed',
          object_id: `${layer}/${provider}`,
        });
      });
    },

    /** For calls: the provider to use, or null where the organization set none. */
    async active(organization_id: string, layer: ProviderLayer): Promise<ActiveProvider | null> {
      const stored = await store.active(organization_id, layer);
      return stored && opened(organization_id, layer, stored);
    },
  };
}
export type ProviderSettings = ReturnType<typeof providerSettings>;

function checkParams(
  manifest: ProviderManifest,
  params: Record<string, unknown>,
  policy: AddressPolicy,
): Record<string, unknown> {
  const unknown = Object.keys(params).filter((name) => !manifest.params.includes(name));
  if (unknown.length > 0) {
    throw validationError(
      unknown.map((name) => ({
        path: `body.params.${name}`,
        message: `This provider understands ${manifest.params.join(', ')}`,
        code: 'unknown_field',
      })),
    );
  }
  if (params.base_url === undefined) return params;
  const verdict = typeof params.base_url === 'string' ? checkUrl(overHttp(params.base_url), policy) : null;
  if (!verdict?.ok) {
    throw new ApiError('target_not_allowed', {
      errors: [
        {
          path: 'body.params.base_url',
          message: `Expected a URL this server may contact (${verdict?.reason ?? 'url_invalid'})`,
          code: 'invalid',
        },
      ],
    });
  }
  return { ...params, base_url: String(params.base_url).replace(/\/+$/, '') };
}
