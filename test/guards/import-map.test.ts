// Guard: which folder may import which. This is the only place that states the rule; docs/architecture.md quotes it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { sourceFiles } from './source-files.ts';

type Import = { from: string; to: string };

const isTest = (path: string) => /(\.test\.ts$|\/testing\/|^test\/|conformance)/.test(path);
const files = sourceFiles().filter((path) => path.startsWith('packages/') && !isTest(path));

const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(from, 'utf8');
  return [...text.matchAll(/(?<!')(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, to]) => ({
    from,
    to: to!.startsWith('.') ? normalize(join(dirname(from), to!)) : to!,
  }));
});

/** Lowest first: a layer imports only from itself and from layers before it. */
const layers = [
  'contract',
  'protocols',
  'platform',
  'config',
  'providers',
  'features',
  'app',
  'start',
  'command',
  'main',
];
const import_rule = layers.join(' ← ');
const server = 'packages/server/src/';

function layerOf(path: string): string | null {
  if (path.startsWith('@parley/contract') || path.startsWith('packages/contract/')) return 'contract';
  if (!path.startsWith(server)) return null;
  return path.slice(server.length).split('/')[0]!.replace(/\.ts$/, '');
}

/** Lowest first: a feature imports only from its own wing and from wings before it. */
const wings = ['access', 'inbox', 'rules', 'agents', 'channels', 'operations'];

const wing_rule = wings.join(' ← ');

const feature_path = new RegExp(`^${server}features/(${wings.join('|')})/([^/]+)/`);
const featureOf = (path: string) => feature_path.exec(path)?.[2];
const wingOf = (path: string) => feature_path.exec(path)?.[1];
const vendorOf = (path: string) => new RegExp(`^${server}providers/([^/]+/[^/]+)/`).exec(path)?.[1];
const offences = (wrong: (edge: Import) => boolean) =>
  imports.filter(wrong).map(({ from, to }) => `${from} imports ${to}`);

test('a layer imports only from layers below it', () => {
  assert.deepEqual(
    offences(({ from, to }) => {
      const [upper, lower] = [layerOf(from), layerOf(to)];
      return upper !== null && lower !== null && layers.indexOf(lower) > layers.indexOf(upper);
    }),
    [],
  );
});

test('every file of the server belongs to a known layer', () => {
  const unknown = files.filter((path) => path.startsWith(server) && !layers.includes(layerOf(path)!));
  assert.deepEqual(unknown, []);
});

test('the contract depends on zod alone', () => {
  assert.deepEqual(
    offences(
      ({ from, to }) =>
        from.startsWith('packages/contract/') && to !== 'zod' && !to.startsWith('packages/contract/'),
    ),
    [],
  );
});

test('a feature imports another only through its index.ts, and no feature imports webhooks', () => {
  assert.deepEqual(
    offences(({ from, to }) => {
      const [own, other] = [featureOf(from), featureOf(to)];
      if (!other || own === other) return false;
      if (other === 'webhooks' && own) return true;
      return to !== `${feature_path.exec(to)![0]}index.ts`;
    }),
    [],
  );
});

test('a wing imports only from wings below it', () => {
  assert.deepEqual(
    offences(({ from, to }) => {
      const [upper, lower] = [wingOf(from), wingOf(to)];
      return upper !== undefined && lower !== undefined && wings.indexOf(lower) > wings.indexOf(upper);
    }),
    [],
  );
});

test('features form no import cycle', () => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [own, other] = [featureOf(from), featureOf(to)];
    if (own && other && own !== other) edges.set(own, (edges.get(own) ?? new Set()).add(other));
  }
  const visit = (feature: string, path: string[]): void => {
    assert.ok(!path.includes(feature), `cycle: ${[...path, feature].join(' → ')}`);
    for (const next of edges.get(feature) ?? []) visit(next, [...path, feature]);
  };
  for (const feature of edges.keys()) visit(feature, []);
});

test('files form no import cycle, types included', () => {
  const pathOf = (to: string) => {
    const [, name, rest = 'index'] = /^@parley\/([a-z]+)(?:\/(.+))?$/.exec(to) ?? [];
    return name ? `packages/${name}/src/${rest}.ts` : to;
  };
  const edges = new Map<string, string[]>();
  for (const { from, to } of imports) edges.set(from, [...(edges.get(from) ?? []), pathOf(to)]);
  const open: string[] = [];
  const closed = new Set<string>();
  const visit = (file: string): void => {
    const start = open.indexOf(file);
    assert.equal(start, -1, `cycle: ${[...open.slice(start), file].join(' → ')}`);
    if (closed.has(file)) return;
    open.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    open.pop();
    closed.add(file);
  };
  for (const file of edges.keys()) visit(file);
});

test('only app/ imports a vendor, and no vendor imports another', () => {
  assert.deepEqual(
    offences(({ from, to }) => {
      const vendor = vendorOf(to);
      return vendor !== undefined && vendorOf(from) !== vendor && !from.startsWith(`${server}app/`);
    }),
    [],
  );
});

test('SQL is written only in stores and in platform/', () => {
  const allowed = (path: string) =>
    path.startsWith(`${server}platform/`) ||
    /store(\.ts$|\/)|-store\.ts$/.test(path) ||
    path.startsWith(`${server}start/`);
  const wrong = files.filter(
    (path) => path.startsWith(server) && !allowed(path) && /\bsql`/.test(readFileSync(path, 'utf8')),
  );
  assert.deepEqual(wrong, []);
});

test('other packages reach the server over HTTP only', () => {
  assert.deepEqual(
    offences(
      ({ from, to }) =>
        !from.startsWith('packages/server/') &&
        (to.startsWith('packages/server/') || to.startsWith('@parley/server')),
    ),
    [],
  );
});

test('only the MCP role and the CLI import the MCP server, and it imports only the SDK', () => {
  // One process can have every role, so the server starts the MCP server; it still calls the API over HTTP.
  const ours = (path: string) => path.startsWith('@parley/') || path.startsWith('packages/');
  assert.deepEqual(
    offences(({ from, to }) => {
      if (to.startsWith('@parley/mcp') || to.startsWith('packages/mcp/'))
        return (
          !from.startsWith('packages/mcp/') &&
          !/^packages\/(server\/src\/start\/mcp\/mcp-role|cli\/src\/mcp)\.ts$/.test(from)
        );
      return from.startsWith('packages/mcp/') && ours(to) && to !== '@parley/sdk';
    }),
    [],
  );
});

test('the console imports only the SDK and the plain functions of the contract', () => {
  const allowed = [
    '@parley/sdk',
    '@parley/sdk/operations',
    '@parley/contract/channels/sms/sms-segments',
    '@parley/contract/inbox/search/search-query',
  ];
  assert.deepEqual(
    offences(
      ({ from, to }) =>
        from.startsWith('packages/console/src/') && to.startsWith('@parley/') && !allowed.includes(to),
    ),
    [],
  );
});

test('a vendor is named only in its folder, in app/ and in config/', () => {
  // These names are protocols or generic terms, not companies.
  const plainWords = new Set(['sandbox', 'folder', 'smtp', 'sip', 'offline']);
  // SES stores received mail in an S3 bucket.
  const known_to: Record<string, string> = { s3: 'providers/mail/ses/|' };
  const vendors = [...new Set(files.map(vendorOf).filter((vendor) => vendor !== undefined))];
  const offences = vendors.flatMap((vendor) => {
    const name = vendor.split('/')[1]!;
    if (plainWords.has(name)) return [];
    const home = new RegExp(`^${server}(providers/[^/]+/${name}/|${known_to[name] ?? ''}app/|config/)`);
    return files
      .filter(
        (path) =>
          path.startsWith(server) &&
          !home.test(path) &&
          new RegExp(`\\b${name}\\b`, 'i').test(readFileSync(path, 'utf8')),
      )
      .map((path) => `${path} names ${name}`);
  });
  assert.deepEqual(offences, []);
});

test('docs/architecture.md quotes the import rules', () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  for (const rule of [import_rule, wing_rule]) assert.ok(page.includes(rule), rule);
});
