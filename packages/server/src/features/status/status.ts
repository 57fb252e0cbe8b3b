// Whether a process can work, and its metrics: the same answers on the port of the API and on the health port.
import type { Metrics } from '../../platform/metrics.ts';
import { within } from './within.ts';

/** Something the process cannot work without; throws when it is away. */
export type Readiness = { name: string; check(): Promise<void> };

export type ReadyAnswer = {
  status: 'ready' | 'not_ready' | 'starting' | 'shutting_down';
  checks: Record<string, string>;
};

export type Status = {
  readiness(): Promise<ReadyAnswer>;
  metrics(): Promise<{ content_type: string; text: string }>;
};

/** A dependency that hangs is away; whoever asks must learn it before giving up. */
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
