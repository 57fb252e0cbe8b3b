// Readiness and metrics of a process: the API port and the health port return the same, except for the reasons of failed checks.
import type { Metrics } from '../../../platform/metrics.ts';
import { check_limit_ms, type Purpose, purposes, type Readiness } from '../../../platform/readiness.ts';
import { within } from '../../../platform/within.ts';

export type ReadyResult = {
  /** `degraded`: the process works, but one of its channels does not. */
  status: 'ready' | 'degraded' | 'not_ready' | 'starting' | 'shutting_down';
  checks: Record<string, string>;
};

export type Status = {
  readiness(purpose?: Purpose | null): Promise<ReadyResult>;
  metrics(): Promise<{ content_type: string; text: string }>;
};

/** The state of a failed check; its reason follows after a colon. */
const failed = 'unavailable';

export function processStatus(deps: {
  metrics: Pick<Metrics, 'registry'>;
  readiness: readonly Readiness[];
  /** Aborted when a stop begins. */
  draining: AbortSignal;
}): Status {
  const { registry } = deps.metrics;
  return {
    async readiness(purpose = null) {
      if (deps.draining.aborted) return { status: 'shutting_down', checks: {} };
      const checks = deps.readiness.filter(
        ({ is_hidden, only_for }) => !is_hidden || (purpose !== null && only_for?.includes(purpose)),
      );
      const states = await Promise.all(checks.map(stateOf));
      const results = checks.map((each, index) => ({ ...each, state: states[index]! }));
      return {
        status: overall(results, purpose),
        checks: Object.fromEntries(results.map(({ name, state }) => [name, state])),
      };
    },
    metrics: async () => ({ content_type: registry.contentType, text: await registry.metrics() }),
  };
}

function overall(
  found: readonly (Readiness & { state: string })[],
  purpose: Purpose | null,
): 'ready' | 'degraded' | 'not_ready' {
  const not_ready = found.filter(({ state }) => state !== 'ready');
  const isNeeded = ({ only_for }: Readiness) =>
    only_for === undefined || (purpose !== null && only_for.includes(purpose));
  if (not_ready.some(isNeeded)) return 'not_ready';
  return not_ready.some(({ state }) => state !== 'not_configured') ? 'degraded' : 'ready';
}

async function stateOf({ check }: Readiness): Promise<string> {
  try {
    const state = await within(check_limit_ms, check());
    return state === 'not_configured' ? state : 'ready';
  } catch (error) {
    const { message, name: kind } = error as Error;
    return `${failed}: ${message || kind}`;
  }
}

/** The purpose in the query of /readyz; undefined for one that does not exist. */
export function purposeOf(value: string | null): Purpose | null | undefined {
  if (value === null) return null;
  return purposes.find((purpose) => purpose === value);
}

/** A reason can name hosts and files of the operator, so it is only for those who may see them. */
const withoutReasons = ({ status, checks }: ReadyResult): ReadyResult => ({
  status,
  checks: Object.fromEntries(
    Object.entries(checks).map(([name, state]) => [name, state.startsWith(failed) ? failed : state]),
  ),
});

/** The response of /readyz, on either port. */
export async function readyResponse(
  readiness: Status['readiness'],
  asked: string | null,
  { shows_reasons }: { shows_reasons: boolean },
): Promise<{ code: number; body: object }> {
  const purpose = purposeOf(asked);
  if (purpose === undefined)
    return {
      code: 400,
      body: {
        status: 'unknown_purpose',
        purposes: [...purposes],
        code: 'unknown_purpose',
        fix: 'Give `for` one of the purposes, or leave it out.',
      },
    };
  const result = await readiness(purpose);
  return {
    code: result.status === 'ready' || result.status === 'degraded' ? 200 : 503,
    body: shows_reasons ? result : withoutReasons(result),
  };
}
