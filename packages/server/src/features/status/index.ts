// Status: whether the process is alive, whether it can work, and its figures for Prometheus.
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../platform/metrics.ts';

/** Something the service cannot work without; throws when it is away. */
export type Readiness = { name: string; check(): Promise<void> };

export function addStatusRoutes(
  app: FastifyInstance,
  deps: { metrics: Metrics; readiness: Readiness[]; draining: AbortSignal },
): void {
  const config = { serves_draining: true };
  app.get('/healthz', { config }, () => ({ status: 'alive' }));

  app.get('/readyz', { config }, async (_, reply) => {
    if (deps.draining.aborted) return reply.code(503).send({ status: 'shutting_down', checks: {} });
    const checks = await Promise.all(
      deps.readiness.map(async ({ name, check }) => {
        const reason = await check().then(
          () => null,
          (error: Error) => error.message || error.name,
        );
        return [name, reason === null ? 'ready' : `away: ${reason}`] as const;
      }),
    );
    const ready = checks.every(([, state]) => state === 'ready');
    if (!ready) reply.code(503).header('retry-after', '1');
    return { status: ready ? 'ready' : 'not_ready', checks: Object.fromEntries(checks) };
  });

  app.get('/metrics', { config }, async (_, reply) => {
    reply.header('content-type', deps.metrics.registry.contentType);
    return deps.metrics.registry.metrics();
  });
}
