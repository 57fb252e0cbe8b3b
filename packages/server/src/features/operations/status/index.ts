// Status: health, readiness and Prometheus metrics of a process.
import { version } from '@parley/contract/version';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { authentication } from '../../../platform/http/authenticate.ts';
import type { Caller } from '../../../platform/http/context.ts';
import { requireSuperadmin } from '../../../platform/http/superadmin.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { Readiness } from '../../../platform/readiness.ts';
import { within } from '../../../platform/within.ts';
import { addProcessMetrics, type ProcessMetricsDeps } from './process-metrics.ts';
import { processStatus, readyResponse, type Status } from './status.ts';
import { probeStore } from './store.ts';

export { type HealthServer, startHealthServer } from './health-server.ts';
export { processStatus, type Status } from './status.ts';

export function statusFeature(
  deps: ProcessMetricsDeps & {
    metrics: Metrics;
    /** What the process needs besides the database. */
    readiness: readonly Readiness[];
    draining: AbortSignal;
    metrics_access: 'protected' | 'public' | 'off';
    authenticate: ReturnType<typeof authentication>;
  },
) {
  const { metrics } = deps;
  const database = { name: 'database', check: () => probeStore(deps.db).answers() };
  addProcessMetrics(metrics, deps);
  const status = processStatus({ ...deps, readiness: [database, ...deps.readiness] });
  return {
    /** Health and metrics of this process, also served on its health port. */
    process: status,
    addHttp: (http: FastifyInstance) => addRoutes(http, { ...deps, status }),
  };
}

function addRoutes(
  app: FastifyInstance,
  deps: {
    status: Status;
    metrics_access: 'protected' | 'public' | 'off';
    authenticate: ReturnType<typeof authentication>;
  },
): void {
  const { status, metrics_access } = deps;
  const config = { serves_draining: true };
  app.get('/healthz', { config }, () => ({ status: 'alive', version }));

  app.get('/readyz', { config }, async (request, reply) => {
    const requested_purpose = new URL(request.url, 'http://localhost').searchParams.get('for');
    const shows_reasons = await isOperator(deps.authenticate, request);
    const { code, body } = await readyResponse(status.readiness, requested_purpose, { shows_reasons });
    if (code === 503) reply.header('retry-after', '1');
    return reply.code(code).send(body);
  });

  if (metrics_access === 'off') return;
  app.get('/metrics', { config }, async (request, reply) => {
    if (metrics_access === 'protected') {
      const caller = await deps.authenticate(request);
      if (!caller) throw new ApiError('unauthenticated');
      requireOperator(caller);
    }
    const { content_type, text } = await status.metrics();
    return reply.headers({ 'content-type': content_type, 'cache-control': 'no-store' }).send(text);
  });
}

function requireOperator(caller: Caller): void {
  requireSuperadmin(caller);
  if (!caller.scopes.some((scope) => scope === '*' || scope === 'admin'))
    throw new ApiError('insufficient_scope', { detail: 'This credential lacks the scope admin.' });
}

/** Shorter than the usual timeout of a probe. */
const recognize_limit_ms = 2000;

/** A probe gets its answer with any credential, also while the database that would recognize it is unavailable. */
async function isOperator(
  authenticate: ReturnType<typeof authentication>,
  request: FastifyRequest,
): Promise<boolean> {
  try {
    const caller = await within(recognize_limit_ms, Promise.resolve(authenticate(request)));
    if (caller) requireOperator(caller);
    return caller !== null;
  } catch {
    return false;
  }
}
