// The rules of provider settings: keys are stored encrypted and never returned, and one provider per layer is active.
import {
  type ProviderConfiguration,
  type ProviderLayer,
  type ProviderSet,
  type ProviderTest,
  providerLayers,
} from '@parley/contract/access/providers';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { overHttp } from '../../../providers/vendor-manifest.ts';
import { type AuditLog, actorOf } from '../audit/index.ts';
import { checkParams } from './check-params.ts';
import type { Probe } from './probe.ts';
import { type ProviderStore, providerStore, type StoredProvider } from './store.ts';

/** What a call needs to use the organization's own provider. */
export type ActiveProvider = {
  provider: string;
  api_key: string;
  base_url: string;
  params: Record<string, unknown>;
  fallback_enabled: boolean;
};

type ProviderDeps = {
  db: Database;
  clock: Clock;
  sealer: Sealer;
  audit: AuditLog;
  known: readonly ProviderManifest[];
  policy: AddressPolicy;
  probe: Probe;
};
type Deps = ProviderDeps & { store: ProviderStore };

export function providerSettings(provider_deps: ProviderDeps) {
  const deps: Deps = { ...provider_deps, store: providerStore(provider_deps.db) };
  const { store } = deps;
  return {
    /** Whether the organization has its own provider for the layer. Does not decrypt its key. */
    has: async (organization_id: string, layer: ProviderLayer): Promise<boolean> =>
      (await store.findActive(organization_id, layer)) !== null,

    /** For calls: the provider to use; null when the organization has none. */
    async active(organization_id: string, layer: ProviderLayer): Promise<ActiveProvider | null> {
      const stored = await store.findActive(organization_id, layer);
      return stored && decrypt(deps, organization_id, layer, stored);
    },

    /** Whether the organization has set this provider, active or not. */
    isSet: async (organization_id: string, layer: ProviderLayer, provider: string): Promise<boolean> =>
      (await store.find(organization_id, layer, provider)) !== null,

    /** A provider that an agent names; it may be inactive. Null when it is not set any more. */
    async named(
      organization_id: string,
      layer: ProviderLayer,
      provider: string,
    ): Promise<ActiveProvider | null> {
      const stored = await store.find(organization_id, layer, provider);
      return stored && decrypt(deps, organization_id, layer, stored);
    },

    /** The names of the params that a provider takes. */
    paramsOf: (layer: ProviderLayer, provider: string): readonly string[] =>
      manifestOf(deps, layer, provider)?.params ?? [],

    list: async (organization_id: string) => ({
      items: await store.list(organization_id),
      next_cursor: null,
      known: deps.known.map(({ layer, provider, params }) => ({ layer, provider, params: [...params] })),
    }),

    set: (context: Context, layer: string, input: ProviderSet) => set(deps, context, readLayer(layer), input),
    activate: (context: Context, layer: string, provider: string) =>
      activate(deps, context, readLayer(layer), provider),
    test: (organization_id: string, layer: string, provider: string | undefined) =>
      test(deps, organization_id, readLayer(layer), provider),
    remove: (context: Context, layer: string, provider: string) =>
      remove(deps, context, readLayer(layer), provider),
  };
}
export type ProviderSettings = ReturnType<typeof providerSettings>;

function readLayer(text: string): ProviderLayer {
  const layer = providerLayers.find((each) => each === text);
  if (!layer)
    throw new ApiError('not_found', { detail: 'There is no such layer; the layers are llm, stt and tts.' });
  return layer;
}

const manifestOf = ({ known }: Deps, layer: ProviderLayer, provider: string): ProviderManifest | undefined =>
  known.find((each) => each.layer === layer && each.provider === provider);

/** Binds an encrypted key to its row: copied to another organization, layer or provider, it cannot be decrypted. */
const sealContext = (organization_id: string, layer: ProviderLayer, provider: string) =>
  `provider_settings|${organization_id}|${layer}|${provider}`;

function decrypt(
  deps: Deps,
  organization_id: string,
  layer: ProviderLayer,
  { provider, key_sealed, params, fallback_enabled }: StoredProvider,
): ActiveProvider | null {
  const manifest = manifestOf(deps, layer, provider);
  if (!manifest) return null;
  return {
    provider,
    api_key: deps.sealer.open(key_sealed, sealContext(organization_id, layer, provider)).toString(),
    base_url: typeof params.base_url === 'string' ? overHttp(params.base_url) : manifest.base_url,
    params,
    fallback_enabled,
  };
}

/** Of a shorter key, four characters would be half of it. */
const shown_from_chars = 8;

/** Stores a provider. The first one of a layer becomes active. */
async function set(
  deps: Deps,
  context: Context,
  layer: ProviderLayer,
  input: ProviderSet,
): Promise<ProviderConfiguration> {
  const { store } = deps;
  const { organization_id } = context;
  const { provider, api_key = '' } = input;
  const manifest = manifestOf(deps, layer, provider);
  if (!manifest) throw new ApiError('unknown_provider', { path: 'body.provider' });
  if (manifest.needs_key && api_key === '')
    throw validationError([
      { path: 'body.api_key', message: `${provider} does not answer without a key`, code: 'required' },
    ]);
  const params = checkParams(manifest, input.params ?? {}, deps.policy);
  return deps.db.transaction(async (tx) => {
    await store.lock(tx, organization_id);
    const before = await store.find(organization_id, layer, provider, tx);
    const active = await store.findActive(organization_id, layer, tx);
    const configuration: ProviderConfiguration = {
      layer,
      provider,
      key_last4: api_key.length >= shown_from_chars ? api_key.slice(-4) : '',
      key_set_at: deps.clock.now().toISOString(),
      params,
      fallback_enabled: input.fallback_enabled ?? false,
      is_active: before?.is_active ?? active === null,
    };
    const key_sealed = deps.sealer.seal(api_key, sealContext(organization_id, layer, provider));
    await store.upsert(tx, organization_id, { ...configuration, key_sealed });
    await deps.audit.write(tx, actorOf(context), {
      organization_id,
      action: 'provider.set',
      object_id: `${layer}/${provider}`,
      detail: { key_last4: configuration.key_last4 },
    });
    return configuration;
  });
}

const activate = (
  { db, store, audit }: Deps,
  context: Context,
  layer: ProviderLayer,
  provider: string,
): Promise<ProviderConfiguration> =>
  db.transaction(async (tx) => {
    const { organization_id } = context;
    await store.lock(tx, organization_id);
    const active = await store.activate(tx, organization_id, layer, provider);
    if (!active) throw new ApiError('not_found', { detail: 'This provider is not set.' });
    await audit.write(tx, actorOf(context), {
      organization_id,
      action: 'provider.activated',
      object_id: `${layer}/${provider}`,
    });
    return active;
  });

/** Sends a request to the provider to check the stored key. */
async function test(
  deps: Deps,
  organization_id: string,
  layer: ProviderLayer,
  provider: string | undefined,
): Promise<ProviderTest> {
  const stored = provider
    ? await deps.store.find(organization_id, layer, provider)
    : await deps.store.findActive(organization_id, layer);
  const settings = stored && decrypt(deps, organization_id, layer, stored);
  if (!settings) throw new ApiError('not_found', { detail: 'This provider is not set.' });
  const { probe } = manifestOf(deps, layer, settings.provider)!;
  const result = await deps.probe({
    url: settings.base_url + probe.path,
    headers: settings.api_key === '' ? {} : probe.headers(settings.api_key, settings.params),
  });
  return { layer, provider: settings.provider, ...result };
}

async function remove(
  { db, store, audit }: Deps,
  context: Context,
  layer: ProviderLayer,
  provider: string,
): Promise<undefined> {
  const { organization_id } = context;
  await db.transaction(async (tx) => {
    await store.lock(tx, organization_id);
    if (!(await store.delete(tx, organization_id, layer, provider))) throw new ApiError('not_found');
    await audit.write(tx, actorOf(context), {
      organization_id,
      action: 'provider.removed',
      object_id: `${layer}/${provider}`,
    });
  });
}
