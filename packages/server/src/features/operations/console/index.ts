// The console: serves the built web page at / with a strict content security policy, also for addresses that do not exist.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.ts';
import { type McpAccess, mcpUrl } from '../../../config/mcp.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { unknownRoute } from '../../../platform/http/unknown-route.ts';
import { console_folder, is_checkout } from '../../../platform/package-folders.ts';
import { addOneTimeRoute, mayHaveLink, oneTimeSignIn } from './one-time-sign-in.ts';
import { consoleRoutes } from './routes.ts';

/** First path segments of the page's client-side routes: each returns the same page. */
export const console_sections = [
  'inbox',
  'calls',
  'emails',
  'sms',
  'compose',
  'numbers',
  'verifications',
  'agents',
  'tools',
  'domains',
  'contacts',
  'consents',
  'suppressions',
  'members',
  'approvals',
  'budgets',
  'privacy',
  'quiet-hours',
  'receive-rules',
  'contact-rules',
  'webhooks',
  'providers',
  'api-keys',
  'connected-apps',
  'admin',
  'sandbox',
  'connect',
] as const;

const content_types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
};

type Asset = { type: string; plain: Buffer; gzip: Buffer | null };
/** The bundler's manifest: the built file of each source, and the chunks it imports. */
type Manifest = Record<string, { file: string; imports?: string[]; dynamicImports?: string[] }>;
type Built = { html: string; manifest: Manifest; assets: Map<string, Asset> };

/** Scripts only from this server, none inline; a style element needs the nonce of this response. */
const policy = (nonce: string, objects_origin: string | null) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    ['connect-src', "'self'", ...(objects_origin ? [objects_origin] : [])].join(' '),
    'media-src blob:',
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

type ConsoleDeps = {
  config: Config;
  baseUrl(): string;
  mcp(): McpAccess | null;
  shared_key: string | null;
  wall_clock: Clock;
  /** Origin of raw messages, files and recordings, when another server stores them. */
  objects_url: string | null;
};

export function consoleFeature(deps: ConsoleDeps) {
  const { shared_key } = deps;
  const sign_in =
    shared_key !== null && mayHaveLink(deps.config) ? oneTimeSignIn({ ...deps, shared_key }) : null;
  return {
    routes: [consoleRoutes(sign_in, deps.baseUrl)],
    addHttp(http: FastifyInstance) {
      addConsoleRoutes(http, deps);
      if (sign_in) addOneTimeRoute(http, sign_in);
    },
    signInLink: async (): Promise<string | null> => (sign_in ? sign_in.createLink() : null),
    close: async () => sign_in?.close(),
  };
}

type ReadBuilt = () => Promise<Built | null>;

function addConsoleRoutes(app: FastifyInstance, deps: ConsoleDeps): void {
  let built: Promise<Built | null> | undefined;
  const read: ReadBuilt = async () => {
    built ??= readBuilt(console_folder);
    const files = await built;
    // Not built yet: the next request checks again.
    if (!files) built = undefined;
    return files;
  };
  addPageRoutes(app, deps, read);
  addAssetRoutes(app, read);
}

/** What the page needs before sign-in. */
const factsOf = (deps: ConsoleDeps, is_not_found: boolean) => ({
  base_url: deps.baseUrl(),
  mcp_url: deps.mcp()?.url ?? mcpUrl(deps.config),
  mcp_auth: deps.mcp()?.auth ?? 'key',
  is_managed: deps.config.PARLEY_MANAGED === 'on',
  has_shared_key: deps.shared_key !== null,
  is_sandbox: deps.config.sandbox,
  is_not_found,
  command: is_checkout ? 'npm run -s parley --' : 'parley',
});

function addPageRoutes(app: FastifyInstance, deps: ConsoleDeps, read: ReadBuilt): void {
  const objects_origin = deps.objects_url === null ? null : new URL(deps.objects_url).origin;

  const page = async (request: FastifyRequest, reply: FastifyReply, is_not_found = false) => {
    const real = canonicalOrigin(request.headers.host, deps.baseUrl());
    if (real) return reply.redirect(real + request.url, 302);
    const page = await read();
    const nonce = randomBytes(16).toString('base64');
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(nonce, objects_origin),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // Not no-referrer: with it browsers also hide the origin of the sign-out form.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
      'cache-control': 'no-store',
    });
    if (!page) return reply.code(503).send(not_built);
    const [section = '', ...rest] = request.url.split('?', 1)[0]!.slice(1).split('/');
    const preloads = rest.length === 0 ? preloadsOf(page.manifest, section || 'overview') : '';
    return reply.code(is_not_found ? 404 : 200).send(
      page.html
        .replaceAll('{{nonce}}', nonce)
        .replace('{{facts}}', () => escaped(JSON.stringify(factsOf(deps, is_not_found))))
        .replace('</head>', () => `${preloads}</head>`),
    );
  };
  const open = (request: FastifyRequest, reply: FastifyReply) => page(request, reply);
  app.get('/', open);
  for (const section of console_sections) {
    app.get(`/${section}`, open);
    app.get(`/${section}/*`, open);
  }
  // A person who follows a wrong link gets a page; programs get the error of the API.
  app.get('/*', (request, reply) => {
    const wants_page = request.headers.accept?.includes('text/html') && !/^\/(v1|assets)\//.test(request.url);
    if (!wants_page) throw unknownRoute(request);
    return page(request, reply, true);
  });
}

function addAssetRoutes(app: FastifyInstance, read: ReadBuilt): void {
  // The account pages use the font of the console, whose file name changes with every build.
  app.get('/assets/inter.woff2', async (_, reply) => {
    const assets = [...((await read())?.assets ?? [])];
    const [, asset] = assets.find(([name]) => name.startsWith('inter-latin-wght-normal-')) ?? [];
    if (!asset) throw new ApiError('not_found');
    return reply
      .headers({ 'content-type': asset.type, 'cache-control': 'public, max-age=86400' })
      .send(asset.plain);
  });

  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = (await read())?.assets.get(request.params.name);
    if (!asset) throw new ApiError('not_found');
    reply.headers({
      'content-type': asset.type,
      'x-content-type-options': 'nosniff',
      // The file name contains a hash of the content.
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    if (!asset.gzip || !/\bgzip\b/.test(String(request.headers['accept-encoding'])))
      return reply.send(asset.plain);
    return reply.header('content-encoding', 'gzip').send(asset.gzip);
  });
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Loopback has several names, and links to files use the one of the base URL; for a browser another name is another
 * origin. Redirects only from one loopback name to another on the same port.
 */
function canonicalOrigin(host: string | undefined, base_url: string): string | null {
  const base = new URL(base_url);
  const requested = URL.parse(`http://${host ?? ''}`);
  if (!requested || requested.host === base.host || requested.port !== base.port) return null;
  return loopback.has(requested.hostname) && loopback.has(base.hostname) ? base.origin : null;
}

/** Preloads the scripts of a page, which is in any folder of `src/pages`, in parallel with the first script. */
function preloadsOf(manifest: Manifest, page: string): string {
  const source = Object.keys(manifest).find(
    (name) => name.startsWith('src/pages/') && basename(name, '.tsx') === page,
  );
  const chunk = source && manifest[source];
  if (!chunk) return '';
  const needed = [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])];
  const files = [chunk.file, ...needed.flatMap((name) => manifest[name]?.file ?? [])];
  return files.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">\n`).join('');
}

/** All files are read into memory: they are small, and only listed names can be requested. */
async function readBuilt(folder: string): Promise<Built | null> {
  const html = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
  if (html === null) return null;
  const assets_folder = join(folder, 'assets');
  const names = await readdir(assets_folder);
  const assets = new Map<string, Asset>();
  for (const name of names.filter((each) => !each.endsWith('.gz'))) {
    const type = content_types[name.split('.').at(-1)!] ?? 'application/octet-stream';
    const gzip = names.includes(`${name}.gz`) ? await readFile(join(assets_folder, `${name}.gz`)) : null;
    assets.set(name, { type, plain: await readFile(join(assets_folder, name)), gzip });
  }
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  return { html, manifest, assets };
}

const not_built =
  '<!doctype html><meta charset="utf-8"><title>Parley</title><p>The console is not built yet. Run <code>npm run build</code> and load this page again. The API works without it.';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
