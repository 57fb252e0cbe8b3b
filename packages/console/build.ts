// Builds the console into dist/, unless dist/ was already built from the same sources. Runs at install, before a start
// and before the tests; without changes it only reads and compares.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const stamp_file = join(dist, 'stamp');

const sources = [
  'src',
  'index.html',
  'build.ts',
  'contract-facts.ts',
  'package.json',
  '../sdk/src',
  '../contract/src',
  '../mcp/mcp-tools.json',
  '../cli/src/commands.json',
];

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null);
  if (!entries) return [path];
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function stampOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const files = (await Promise.all(sources.map((source) => filesOf(join(root, source))))).flat();
  for (const file of files.filter((each) => !each.includes('.test.')).sort()) {
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

async function build(stamp: string): Promise<void> {
  // A build for development is twice as large. Vite makes one when a test starts this script, with NODE_ENV=test.
  process.env.NODE_ENV = 'production';
  const [{ build }, { default: react }, { contractFacts }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('./contract-facts.ts'),
  ]);
  // Built in a temporary folder and renamed, so that a running server never serves a partial build.
  const draft = join(root, `dist-${process.pid}`);
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [contractFacts(), react()],
    build: {
      outDir: draft,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2023',
      chunkSizeWarningLimit: 900,
      // Lists the files of each page for the server, so that the browser can load them together with the first ones.
      manifest: 'manifest.json',
      rolldownOptions: {
        output: {
          // A request costs more than a few unused bytes: one file for what every page needs, one for lists, and one
          // for other shared code.
          codeSplitting: {
            groups: [
              { name: 'console', tags: ['$initial'] },
              { name: 'lists', test: /virtual-core|react-virtual|record-table|use-list/ },
              { name: 'parts', minShareCount: 4 },
            ],
          },
        },
      },
    },
  });
  const assets = join(draft, 'assets');
  for (const name of await readdir(assets)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    await writeFile(join(assets, `${name}.gz`), gzipSync(await readFile(join(assets, name)), { level: 9 }));
  }
  writeFileSync(join(draft, 'stamp'), stamp);
  await rm(dist, { recursive: true, force: true });
  await rename(draft, dist);
}

const stamp = await stampOfSources();
const built = existsSync(stamp_file) ? readFileSync(stamp_file, 'utf8') : null;
if (built !== stamp) {
  const began_ms = performance.now();
  await build(stamp);
  console.log(`Console built (${((performance.now() - began_ms) / 1000).toFixed(1)} s).`);
}
