// A span for every request of the API and every callback of a carrier. Its hooks exist only when tracing is on.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { joinTraceHeaders } from '../../protocols/trace-context.ts';
import type { Span, Tracing } from '../tracing/trace.ts';

export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _, done) => {
    if (isTraced(request)) {
      const parent = joinTraceHeaders(request.headers);
      const attributes = { 'http.request.method': request.method, 'http.route': request.routeOptions.url };
      spans.set(
        request,
        tracing.begin(`${request.method} ${request.routeOptions.url}`, {
          kind: 'server',
          parent,
          attributes,
        }),
      );
    }
    done();
  });
  // Reading the body leaves the context of the request, so the span becomes the current one right before the handler.
  app.addHook('preHandler', (request, _, done) => {
    const span = spans.get(request);
    if (span) tracing.within(span, done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode, 'parley.operation': request.operation });
    if (reply.statusCode >= 500) span?.fail(String(reply.statusCode));
    span?.end();
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    const span = spans.get(request);
    span?.fail('client_closed_request');
    span?.end();
    done();
  });
}

/** Pages, files and health checks outside the API are left out: they cause nothing that a trace could follow. */
const isTraced = ({ method, routeOptions: { url } }: FastifyRequest) =>
  url !== undefined && (url.startsWith('/v1/') || method === 'POST');
