// Reference: the documentation of the API for people (/docs), programs (/openapi.json) and agents (/llms.txt).
import { buildOpenApi } from '@parley/contract/openapi/openapi';
import fastify, { type FastifyInstance } from 'fastify';
import type { McpAccess } from '../../../config/mcp.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Content, compressedContents } from './compressed.ts';
import { addDiscoveryRoute } from './discovery.ts';
import { addressOf, guidePage } from './guide-page.ts';
import { readGuides } from './guides.ts';
import { llmsText } from './llms-text.ts';

type ReferenceDeps = { baseUrl(): string; mcp(): McpAccess | null };

export const referenceFeature = (deps: ReferenceDeps) => ({
  addHttp: (http: FastifyInstance) => addReferenceRoutes(http, deps),
});

function addReferenceRoutes(app: FastifyInstance, deps: ReferenceDeps): void {
  addDiscoveryRoute(app, deps);
  const sendCompressed = compressedContents();
  let openapi: Content | undefined;

  app.get('/openapi.json', async (request, reply) => {
    openapi ??= openApiContent(deps.baseUrl());
    return sendCompressed(request, reply, openapi);
  });

  app.get('/llms.txt', async (_, reply) =>
    reply.header('content-type', 'text/plain; charset=utf-8').send(llmsText(deps.baseUrl(), readGuides())),
  );

  app.get<{ Params: { name: string } }>('/guides/:name', async ({ params }, reply) => {
    const guide = readGuides().find(({ name }) => name === params.name);
    if (!guide) throw new ApiError('not_found');
    return reply.header('content-type', 'text/markdown; charset=utf-8').send(guide.text);
  });

  for (const folder of ['guides', 'reference'] as const) {
    app.get<{ Params: { name: string } }>(`/docs/${folder}/:name`, async ({ params }, reply) => {
      const library = { guides: readGuides('guides'), reference: readGuides('reference') };
      const guide = library[folder].find(({ name }) => name === `${params.name}.md`);
      if (!guide) throw new ApiError('not_found');
      return reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', page_policy)
        .send(await guidePage(library, folder, guide));
    });
  }
  addReferencePage(app, sendCompressed);
}

const page_policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** The document of this server: with its address, and with links to the guides that it serves. */
function openApiContent(base_url: string): Content {
  const document = buildOpenApi(base_url) as { info: { description: string } };
  const guides = readGuides().map(({ name, title }) => `- [${title}](${addressOf('guides', name)})`);
  if (guides.length > 0) document.info.description += `\n\n## Guides\n\n${guides.join('\n')}`;
  return { type: 'application/json; charset=utf-8', body: Buffer.from(JSON.stringify(document)) };
}

/** The reference page has four megabytes of script, so it is loaded at the first request. */
function addReferencePage(app: FastifyInstance, sendCompressed: ReturnType<typeof compressedContents>): void {
  let docs: Promise<FastifyInstance> | undefined;
  const contents = new Map<string, Content>();
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, async (request, reply) => {
      const path = request.url.split('?')[0]!;
      const known = contents.get(path);
      if (known) return sendCompressed(request, reply, known);
      docs ??= docsApp().catch((error: unknown) => {
        // The next request tries again.
        docs = undefined;
        throw error;
      });
      const response = await (await docs).inject({ method: 'GET', url: path });
      const { 'content-type': type, location } = response.headers;
      if (location) return reply.redirect(String(location), response.statusCode as 301);
      if (response.statusCode >= 500) throw new Error(`The reference page failed: ${response.payload}`);
      // The page has a handful of paths; every other one is not found.
      if (response.statusCode !== 200) throw new ApiError('not_found');
      const content = { type: String(type), body: response.rawPayload };
      contents.set(path, content);
      return sendCompressed(request, reply, content);
    });
  }
  app.addHook('onClose', async () => (await docs?.catch(() => null))?.close());
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
