// Guard: every vendor folder has the same shape: index.ts, README.md, a manifest and a conformance test where its port has them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFiles } from './source-files.ts';

const providers = 'packages/server/src/providers/';

/** Built-in vendors without settings, of ports whose other vendors are described by a manifest. */
const without_manifest = new Set(['llm/offline', 'llm/sandbox', 'stt/moonshine', 'tts/flite']);

type Folder = { port: string; vendor: string; files: string[] };

/** The paths start at the port: `carrier/twilio/index.ts`. */
function vendorFolders(paths: readonly string[]): Folder[] {
  const names = new Set(paths.flatMap((path) => /^([^/]+\/[^/]+)\//.exec(path)?.[1] ?? []));
  return [...names].map((name) => {
    const [port, vendor] = name.split('/') as [string, string];
    return { port, vendor, files: paths.filter((path) => path.startsWith(`${name}/`)) };
  });
}

function problemsIn(paths: readonly string[], read: (path: string) => string): string[] {
  const folders = vendorFolders(paths);
  const manifest_ports = new Set(
    folders
      .filter(({ files }) => files.some((path) => path.endsWith('/manifest.ts')))
      .map(({ port }) => port),
  );
  return folders.flatMap(({ port, vendor, files }) => {
    const name = `${port}/${vendor}`;
    const has = (file: string) => files.includes(`${name}/${file}`);
    const has_suite = paths.includes(`${port}/conformance.ts`);
    const runs_suite = files.some((path) => path.endsWith('.test.ts') && /Conformance\(/.test(read(path)));
    const needs_manifest = manifest_ports.has(port) && !without_manifest.has(name);
    return [
      ...(has('index.ts') ? [] : [`${name} has no index.ts`]),
      ...(has('README.md') ? [] : [`${name} has no README.md`]),
      ...(has_suite && !runs_suite ? [`${name} has no test that runs the conformance suite`] : []),
      ...(needs_manifest && !has('manifest.ts') ? [`${name} has no manifest.ts`] : []),
    ];
  });
}

const paths = projectFiles()
  .filter((path) => path.startsWith(providers))
  .map((path) => path.slice(providers.length));

test('every vendor folder has index.ts, README.md, a conformance test and a manifest where its port has them', () => {
  assert.ok(vendorFolders(paths).length > 15);
  assert.deepEqual(
    problemsIn(paths, (path) => readFileSync(providers + path, 'utf8')),
    [],
  );
});

test('the list of vendors without a manifest contains no others', () => {
  const stale = [...without_manifest].filter(
    (name) => !paths.includes(`${name}/index.ts`) || paths.includes(`${name}/manifest.ts`),
  );
  assert.deepEqual(stale, []);
});

test('the guard finds every kind of problem', () => {
  const texts: Record<string, string> = {
    'llm/conformance.ts': '',
    'llm/good/index.ts': '',
    'llm/good/README.md': '',
    'llm/good/manifest.ts': '',
    'llm/good/good.test.ts': "llmConformance('good', {});",
    'llm/bad/other.ts': '',
    'llm/bad/bad.test.ts': "import { llmRequest } from '../conformance.ts';",
  };
  assert.deepEqual(
    problemsIn(Object.keys(texts), (path) => texts[path]!),
    [
      'llm/bad has no index.ts',
      'llm/bad has no README.md',
      'llm/bad has no test that runs the conformance suite',
      'llm/bad has no manifest.ts',
    ],
  );
});
