// Reference: the documentation of the API for people (/docs), programs (/openapi.json) and agents (/llms.txt).
import { buildOpenApi } from '@parley/contract/openapi';
import fastify, { type FastifyInstance } from 'fastify';
import type { McpAccess } from '../../config/mcp.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { addDiscoveryRoute } from './discovery.ts';
import { readGuides } from './guides.ts';
import { llmsText } from './llms-text.ts';

type ReferenceDeps = { baseUrl(): string; mcp(): McpAccess | null };

export const referenceFeature = (deps: ReferenceDeps) => ({
  addHttp: (http: FastifyInstance) => addReferenceRoutes(http, deps),
});

function addReferenceRoutes(app: FastifyInstance, deps: ReferenceDeps): void {
  addDiscoveryRoute(app, deps);
  let openapi: string | undefined;
  let docs: Promise<FastifyInstance> | undefined;

  app.get('/openapi.json', async (_, reply) => {
    openapi ??= JSON.stringify(buildOpenApi(deps.baseUrl()));
    return reply.header('content-type', 'application/json; charset=utf-8').send(openapi);
  });

  app.get('/llms.txt', async (_, reply) =>
    reply.header('content-type', 'text/plain; charset=utf-8').send(llmsText(deps.baseUrl(), readGuides())),
  );

  app.get<{ Params: { name: string } }>('/guides/:name', async ({ params }, reply) => {
    const guide = readGuides().find(({ name }) => name === params.name);
    if (!guide) throw new ApiError('not_found');
    return reply.header('content-type', 'text/markdown; charset=utf-8').send(guide.text);
  });

  // The reference page has four megabytes of script, so it is loaded at the first request.
  const page = async (url: string) => {
    docs ??= docsApp();
    return (await docs).inject({ method: 'GET', url });
  };
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, async (request, reply) => {
      const response = await page(request.url);
      const { 'content-type': type, location } = response.headers;
      if (location) return reply.redirect(String(location), response.statusCode as 301);
      return reply.code(response.statusCode).header('content-type', type).send(response.rawPayload);
    });
  }
  app.addHook('onClose', async () => (await docs)?.close());
}

/** Fonts, telemetry, the hosted proxy and the assistant are off: the page sends requests only to this server. */
async function docsApp(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Parley API reference',
      withDefaultFonts: false,
      telemetry: false,
      proxyUrl: '',
      agent: { disabled: true },
      mcp: { disabled: true },
      defaultOpenAllTags: true,
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  });
  await app.ready();
  return app;
}
