// Provider settings: which LLM, speech-to-text and text-to-speech providers an organization uses, with its own keys.
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import { egressProbe } from './probe.ts';
import { providerRoutes } from './routes.ts';
import { providerSettings } from './service.ts';

export type { ActiveProvider, ProviderSettings } from './service.ts';

export const provider_sealed_columns: readonly SealedColumn[] = [
  { table: 'provider_settings', column: 'key_sealed' },
];

export function providerFeature(deps: Omit<Parameters<typeof providerSettings>[0], 'probe'>) {
  const { probe, close } = egressProbe({ policy: deps.policy });
  const service = providerSettings({ ...deps, probe });
  return { service, routes: [providerRoutes(service)], close };
}
