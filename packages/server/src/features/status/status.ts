// Readiness and metrics of a process: the API port and the health port return the same.
import type { Metrics } from '../../platform/metrics.ts';
import { within } from './within.ts';

/** A dependency the process needs; the check throws when it is unavailable. */
export type Readiness = { name: string; check(): Promise<void> };

export type ReadyResult = {
  status: 'ready' | 'not_ready' | 'starting' | 'shutting_down';
  checks: Record<string, string>;
};

export type Status = {
  readiness(): Promise<ReadyResult>;
  metrics(): Promise<{ content_type: string; text: string }>;
};

/** A dependency that does not respond counts as unavailable. Shorter than the usual timeout of a probe. */
const check_limit_ms = 5000;

export function processStatus(deps: {
  metrics: Pick<Metrics, 'registry'>;
  readiness: readonly Readiness[];
  /** Aborted when a stop begins. */
  draining: AbortSignal;
}): Status {
  const { registry } = deps.metrics;
  return {
    async readiness() {
      if (deps.draining.aborted) return { status: 'shutting_down', checks: {} };
      const checks = await Promise.all(deps.readiness.map(stateOf));
      const is_ready = checks.every(([, state]) => state === 'ready');
      return { status: is_ready ? 'ready' : 'not_ready', checks: Object.fromEntries(checks) };
    },
    metrics: async () => ({ content_type: registry.contentType, text: await registry.metrics() }),
  };
}

async function stateOf({ name, check }: Readiness): Promise<readonly [string, string]> {
  try {
    await within(check_limit_ms, check());
    return [name, 'ready'];
  } catch (error) {
    const { message, name: kind } = error as Error;
    return [name, `away: ${message || kind}`];
  }
}
