// Explain: reads what other features store about an object, and tells in one answer what happened and what to do.
import { explainRoutes } from './routes.ts';
import { explainService } from './service.ts';
import type { ExplainSources } from './sources.ts';

export type { ExplainSources } from './sources.ts';
export { explainService };

export const explainFeature = (sources: ExplainSources) => ({
  routes: [explainRoutes(explainService(sources))],
});
