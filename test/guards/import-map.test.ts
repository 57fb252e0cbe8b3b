// Guard: who may import whom. contract ← platform ← providers ← features ← vendors ← telephony, mail ← app ← mcp-role ← start ← main.
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
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, to]) => ({
    from,
    to: to!.startsWith('.') ? normalize(join(dirname(from), to!)) : to!,
  }));
});

const rooms = [
  'contract',
  'platform',
  'providers',
  'features',
  'mail',
  'vendors',
  'telephony',
  'app',
  'mcp-role',
  'start',
  'command',
  'main',
];
const server = 'packages/server/src/';

function roomOf(path: string): string | null {
  if (path.startsWith('@parley/contract') || path.startsWith('packages/contract/')) return 'contract';
  if (!path.startsWith(server)) return null;
  const first = path.slice(server.length).split('/')[0]!.replace(/\.ts$/, '');
  // The table of settings is a value that every room above the platform may read; so are reasons not to start.
  if (first === 'app-interface') return 'app';
  return first.startsWith('config') || first === 'start-error' ? 'platform' : first;
}

const featureOf = (path: string) => new RegExp(`^${server}features/([^/]+)/`).exec(path)?.[1];
const vendorOf = (path: string) => new RegExp(`^${server}providers/([^/]+/[^/]+)/`).exec(path)?.[1];
const offences = (wrong: (edge: Import) => boolean) =>
  imports.filter(wrong).map(({ from, to }) => `${from} imports ${to}`);

test('a room imports only from rooms below it', () => {
  assert.deepEqual(
    offences(({ from, to }) => {
      const [upper, lower] = [roomOf(from), roomOf(to)];
      return upper !== null && lower !== null && rooms.indexOf(lower) > rooms.indexOf(upper);
    }),
    [],
  );
});

test('every file of the server stands in a known room', () => {
  const lost = files.filter((path) => path.startsWith(server) && !rooms.includes(roomOf(path)!));
  assert.deepEqual(lost, []);
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

test('a feature enters another by its door, and nothing enters webhooks', () => {
  assert.deepEqual(
    offences(({ from, to }) => {
      const [own, other] = [featureOf(from), featureOf(to)];
      if (!other || own === other) return false;
      if (other === 'webhooks' && own) return true;
      return to !== `${server}features/${other}/index.ts`;
    }),
    [],
  );
});

test('the features form no circle', () => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [own, other] = [featureOf(from), featureOf(to)];
    if (own && other && own !== other) edges.set(own, (edges.get(own) ?? new Set()).add(other));
  }
  const visit = (feature: string, path: string[]): void => {
    assert.ok(!path.includes(feature), `circle: ${[...path, feature].join(' → ')}`);
    for (const next of edges.get(feature) ?? []) visit(next, [...path, feature]);
  };
  for (const feature of edges.keys()) visit(feature, []);
});

test('only vendors.ts and app.ts know a vendor, and a vendor knows no other', () => {
  assert.deepEqual(
    offences(({ from, to }) => {
      const vendor = vendorOf(to);
      return (
        vendor !== undefined &&
        vendorOf(from) !== vendor &&
        ![`${server}app.ts`, `${server}vendors.ts`].includes(from)
      );
    }),
    [],
  );
});

test('SQL stands in stores, workers’ stores and the platform only', () => {
  const allowed = (path: string) =>
    path.startsWith(`${server}platform/`) ||
    /store(\.ts$|\/)|-store\.ts$/.test(path) ||
    path === `${server}start.ts` ||
    path === `${server}app.ts`;
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

test('only the role that starts it knows the MCP server, and that knows the SDK alone', () => {
  // One process can play every role, so somebody must start it; it still talks to the API over HTTP like any client.
  const ours = (path: string) => path.startsWith('@parley/') || path.startsWith('packages/');
  assert.deepEqual(
    offences(({ from, to }) => {
      if (to.startsWith('@parley/mcp') || to.startsWith('packages/mcp/'))
        return (
          !from.startsWith('packages/mcp/') &&
          !/^packages\/(server\/src\/mcp-role|cli\/src\/mcp)\.ts$/.test(from)
        );
      return from.startsWith('packages/mcp/') && ours(to) && to !== '@parley/sdk';
    }),
    [],
  );
});

test('the console knows the SDK and, of the contract, plain functions alone', () => {
  const allowed = ['@parley/sdk', '@parley/sdk/operations', '@parley/contract/sms-segments'];
  assert.deepEqual(
    offences(
      ({ from, to }) =>
        from.startsWith('packages/console/src/') && to.startsWith('@parley/') && !allowed.includes(to),
    ),
    [],
  );
});

test('no vendor’s name stands outside its folder, vendors.ts, app.ts and the settings', () => {
  // Names that are also plain words of the trade name a way of doing things, not a company.
  const plainWords = new Set(['sandbox', 'folder', 'smtp', 'sip', 'offline']);
  // What SES received lies in a bucket.
  const known_to: Record<string, string> = { s3: 'providers/mail/ses/|' };
  const vendors = [...new Set(files.map(vendorOf).filter((vendor) => vendor !== undefined))];
  const offences = vendors.flatMap((vendor) => {
    const name = vendor.split('/')[1]!;
    if (plainWords.has(name)) return [];
    const home = new RegExp(
      `^${server}(providers/[^/]+/${name}/|${known_to[name] ?? ''}app\\.ts$|vendors\\.ts$|config(-\\w+)?\\.ts$)`,
    );
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
