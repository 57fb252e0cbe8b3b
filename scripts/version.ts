// The version of the product is in the root package.json. This script copies it to every other place:
//
//   node scripts/version.ts 0.2.0    sets a new version; run `npm run generate` afterwards, for OpenAPI and the Python client
//   node scripts/version.ts          copies the version of the root package.json again
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';

type Manifest = {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
type Lock = { version: string; packages: Record<string, Manifest> };

const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'));

export const productVersion = (): string => json<Manifest>('package.json').version;

/** A generated module: the SDK runs in browsers and cannot read its package.json. */
export const versionModule = (version = productVersion()): string =>
  `// The version of the product; written by \`npm run generate\` from the root package.json.\nexport const version = '${version}';\n`;

const withVersion = (manifest: Manifest, version: string): Manifest => {
  const own = (dependencies: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [
        name,
        name.startsWith('@parley/') ? version : range,
      ]),
    );
  const { dependencies, peerDependencies } = manifest;
  return {
    ...manifest,
    version,
    ...(dependencies && { dependencies: own(dependencies) }),
    ...(peerDependencies && { peerDependencies: own(peerDependencies) }),
  };
};

const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Every file that names the version, with the content that it must have. */
export function versionedFiles(version: string): Record<string, string> {
  const manifests = ['package.json', ...globSync('packages/*/package.json').sort()];
  const lock = json<Lock>('package-lock.json');
  const packages = Object.fromEntries(
    Object.entries(lock.packages).map(([path, entry]) => [
      path,
      path === '' || path.startsWith('packages/') ? withOwnVersion(path, entry, version) : entry,
    ]),
  );
  const files: Record<string, string> = {
    'package-lock.json': text({ ...lock, version, packages }),
    'packages/contract/src/version.ts': versionModule(version),
    'packages/sdk/src/version.ts': versionModule(version),
  };
  for (const path of manifests) files[path] = text(withVersion(json<Manifest>(path), version));
  // `appVersion` is the tag of the image that the chart installs.
  const chart = 'deploy/helm/Chart.yaml';
  files[chart] = readFileSync(chart, 'utf8').replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`);
  for (const path of globSync('docs/examples/*/{package.json,requirements.txt}').sort()) {
    const content = readFileSync(path, 'utf8');
    // An example that uses the MCP server names no client library.
    if (/parley[/-]sdk/.test(content))
      files[path] = content
        .replace(/("@parley\/sdk": )"[^"]*"/, `$1"${version}"`)
        .replace(/^(parley-sdk==).*$/m, `$1${version}`);
  }
  return files;
}

/** Packages nested in a workspace's node_modules keep their version. */
const withOwnVersion = (path: string, entry: Manifest, version: string): Manifest =>
  path.includes('node_modules/') ? entry : withVersion(entry, version);

if (import.meta.main) {
  const [version = productVersion()] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error(`${version} is not a version such as 0.2.0.`);
  for (const [path, content] of Object.entries(versionedFiles(version))) {
    if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
    writeFileSync(path, content);
    console.log(path);
  }
}
