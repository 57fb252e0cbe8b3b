// Describes the published packages for their software bills of materials: what each requires, and what it contains of others.
import { readFileSync } from 'node:fs';
import { type PublishedPackage, published_packages } from '../build/compile.ts';
import { needsOf, readLock } from '../build/lock.ts';
import { publishManifest } from '../build/publish-manifest.ts';
import { speech_sources } from '../build/speech.ts';
import { makeSbom, type OwnPackage, type Sbom } from './sbom.ts';

type Manifest = {
  name: string;
  license: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/** Dependencies of the console that build it and are not part of its pages. */
const build_tools = ['vite', '@vitejs/plugin-react'];

/** The server contains the built console, and with it the libraries of its pages. */
function consoleLibraries(): OwnPackage['bundles'] {
  const manifest = JSON.parse(readFileSync('packages/console/package.json', 'utf8')) as Manifest;
  return Object.keys(manifest.dependencies ?? {})
    .filter((name) => !name.startsWith('@parley/') && !build_tools.includes(name))
    .map((name) => ({ folder: 'packages/console', name, with_dependencies: true }));
}

/** Only single files of these packages are used, so their dependencies are not part of ours. */
const speech: OwnPackage = {
  name: '@parley/speech',
  license: 'Apache-2.0',
  folder: 'packages/server',
  requires: [],
  optional: [],
  bundles: speech_sources.map((name) => ({ folder: 'packages/server', name, with_dependencies: false })),
};

/** Parts of it, changed. */
const sip_js = { name: 'sip.js', version: '0.21.2', license: 'MIT' };

export function ownPackages(): OwnPackage[] {
  return published_packages.map((name) => {
    if (name === 'speech') return speech;
    const folder = `packages/${name}`;
    const manifest = publishManifest(folder) as Manifest;
    const needs = needsOf(manifest);
    return {
      name: manifest.name,
      license: manifest.license,
      folder,
      requires: needs.filter(({ kind }) => kind !== 'optional').map((need) => need.name),
      optional: needs.filter(({ kind }) => kind === 'optional').map((need) => need.name),
      bundles: name === 'server' ? consoleLibraries() : [],
      copies: name === 'server' ? [sip_js] : [],
    };
  });
}

/** What a published package contains or brings with it that is not ours, as `name@version`. */
export function componentsOf(published: PublishedPackage): Set<string> {
  const own = ownPackages();
  const subject = own.find(({ name }) => name === `@parley/${published}`)!;
  const { components } = makeSbom(subject, own, readLock(), '', '');
  const third_party = components.filter(({ group }) => group !== '@parley');
  return new Set(
    third_party.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`),
  );
}

/** By file name. The versions are those of the lock file, with which the release was tested. */
export function publishedSboms(version: string, date: string): Record<string, Sbom> {
  const lock = readLock();
  const own = ownPackages();
  return Object.fromEntries(
    own.map((each) => [
      `${each.name.replace('@', '').replace('/', '-')}-${version}.cdx.json`,
      makeSbom(each, own, lock, version, date),
    ]),
  );
}
