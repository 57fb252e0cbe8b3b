// Readiness and metrics of a process: the API port and the health port return the same, except for the reasons of failed checks.
import type { Metrics } from '../../../platform/metrics.ts';
import { ttlCache } from '../../../platform/ttl-cache.ts';
import { within } from './within.ts';

/** What a load balancer may ask about: `/readyz?for=calls` also fails when this process can take no further call. */
export const purposes = ['calls', 'mail'] as const;
export type Purpose = (typeof purposes)[number];

/** A dependency of the process; the check throws when it is unavailable. */
export type Readiness = {
  name: string;
  /**
   * The purposes that need it. Absent: the whole process needs it. Without a purpose, a failure of such a dependency
   * is only reported: a mail relay that is down must not take a process out of service that can still place calls.
   */
  only_for?: readonly Purpose[];
  /** Left out of the response unless the purpose is asked for. */
  is_hidden?: boolean;
  /** Resolves with `not_configured` where the settings name none; every other value means that it works. */
  check(): Promise<unknown>;
};

export type ReadyResult = {
  /** `degraded`: the process works, but one of its channels does not. */
  status: 'ready' | 'degraded' | 'not_ready' | 'starting' | 'shutting_down';
  checks: Record<string, string>;
};

export type Status = {
  readiness(purpose?: Purpose | null): Promise<ReadyResult>;
  metrics(): Promise<{ content_type: string; text: string }>;
};

/** A dependency that does not respond counts as unavailable. Shorter than the usual timeout of a probe. */
const check_limit_ms = 5000;

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

/** Asks a vendor at most once in this time, however often the process is probed: requests count against its limits. */
const vendor_age_ms = 30_000;

/** The same check with its result, also a failure, cached for half a minute. */
export function cachedCheck(check: Readiness['check'], max_age_ms = vendor_age_ms): Readiness['check'] {
  const cache = ttlCache({
    max_age_ms,
    load: () =>
      within(check_limit_ms - 500, check()).then(
        (state) => () => state,
        (error: Error) => () => {
          throw error;
        },
      ),
  });
  return async () => (await cache.get())();
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
