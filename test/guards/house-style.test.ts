// Guard: rules of style that a program can check.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { projectFiles, sourceFiles } from './source-files.ts';

const read = (path: string) => readFileSync(path, 'utf8');

test('no source file is longer than 400 lines', () => {
  // Generated files are as long as their source, and are not read as a whole.
  const written = sourceFiles().filter((path) => !/^.*\bMade by `npm run generate`/.test(read(path)));
  const long = written.filter((path) => read(path).split('\n').length > 401);
  assert.deepEqual(long, []);
});

test('a source file opens with a sentence that says what it is for', () => {
  const without_sentence = sourceFiles().filter((path) => !/^(#!.*\n)?(\/\/ \S|\/\*\* \S)/.test(read(path)));
  assert.deepEqual(without_sentence, []);
});

test('no file has a meaningless name', () => {
  const empty = sourceFiles().filter((path) =>
    /^(utils?|helpers?|common|types|manager|base|misc)\.tsx?$/.test(basename(path)),
  );
  assert.deepEqual(empty, []);
});

const lock_files = projectFiles().filter((path) => basename(path) === 'package-lock.json');

test('no lock file names a download address', () => {
  for (const path of lock_files) assert.doesNotMatch(read(path), /"resolved": "https?:/, path);
});

test('no lock file states the Node version of a dependency: ours is installed with the packages, so the warning of npm would be wrong', () => {
  const stating = lock_files.flatMap((path) => {
    const { packages } = JSON.parse(read(path)) as { packages: Record<string, { engines?: object }> };
    return Object.entries(packages)
      .filter(([name, { engines }]) => name.includes('node_modules/') && engines)
      .map(([name]) => `${path}: ${name}; run \`node scripts/trim-lock-files.ts\``);
  });
  assert.deepEqual(stating, []);
});

test('every version is pinned exactly', () => {
  const loose = projectFiles()
    .filter((path) => basename(path) === 'package.json')
    .flatMap((path) => {
      const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = JSON.parse(read(path));
      return Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, version]) => !/^(npm:[\w@/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`);
    });
  assert.deepEqual(loose, []);
});

test('every package that runs a script at install is listed', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: true }>;
  };
  const allowed = Object.keys(JSON.parse(read('package.json')).allowScripts);
  const names = Object.entries(packages)
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  assert.deepEqual(
    names.filter((name) => !allowed.includes(name)),
    [],
  );
});
