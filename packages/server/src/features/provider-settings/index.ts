// Provider settings: whose language models, ears and voices an organization uses, with its own keys.
export { egressProbe } from './probe.ts';
export { providerRoutes } from './routes.ts';
export { type ActiveProvider, type ProviderSettings, providerSettings } from './service.ts';
