// Deletes files of installed packages that this project never loads, so that an install takes less disk space. Runs after every install.
import { existsSync, globSync, rmSync } from 'node:fs';

/** Patterns below node_modules, except the files to keep, and why the rest is not needed. */
const unused: readonly { pattern: string; keep?: RegExp; reason: string }[] = [
  {
    pattern: 'node-{linux,darwin,win}-*/{include,share}',
    reason: 'C++ headers and man pages: no addon is compiled',
  },
  { pattern: 'onnxruntime-web/{lib,docs}', reason: 'TypeScript sources' },
  {
    pattern: 'onnxruntime-web/dist/*',
    keep: /\/(ort\.wasm\.bundle\.min\.mjs|ort-wasm-simd-threaded\.(mjs|wasm))$/,
    reason: 'builds for graphics cards and browsers; only `onnxruntime-web/wasm` is imported',
  },
  {
    pattern: '@tabler/icons/{icons,categories,icons.json,tabler-nodes-*.json}',
    reason: 'sources of icons; the console imports React components',
  },
  { pattern: '**/*.map', reason: 'source maps of other projects' },
];

export function trimPackages(folder = 'node_modules'): number {
  let deleted = 0;
  for (const { pattern, keep } of unused) {
    for (const path of globSync(pattern, { cwd: folder })) {
      if (keep?.test(path)) continue;
      rmSync(`${folder}/${path}`, { recursive: true, force: true });
      deleted++;
    }
  }
  return deleted;
}

// A global install or a package without its dependencies has nothing to trim.
if (import.meta.main && existsSync('node_modules')) {
  const deleted = trimPackages();
  if (deleted > 0) console.log(`Deleted ${deleted} unused files and folders of installed packages.`);
}
