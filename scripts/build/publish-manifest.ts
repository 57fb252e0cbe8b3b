// Makes the package.json of a published package from the one in the checkout: `publishConfig` replaces the fields that point to
// sources, and the speech packages are replaced by our own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { speech_sources } from './speech.ts';

type Manifest = {
  name: string;
  version: string;
  license: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  publishConfig: Record<string, unknown>;
  [field: string]: unknown;
};

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** npm accepts the provenance of a package only if `repository` is the one whose workflow publishes it. */
function repository(): { repository?: { type: 'git'; url: string } } {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  return server && name ? { repository: { type: 'git', url: `git+${server}/${name}.git` } } : {};
}

/** Fields of every published package. */
export function commonFields(): Record<string, unknown> {
  const { version, license } = readManifest('.');
  return { version, license, ...repository(), publishConfig: { access: 'public' } };
}

/** `private`, `scripts` and the `exports` of the checkout do not leave it. */
export function publishManifest(folder: string): Record<string, unknown> {
  const manifest = readManifest(folder);
  const { private: _private, scripts: _scripts, exports: _exports, publishConfig, ...kept } = manifest;
  const { name, description, type, ...rest } = { ...kept, ...publishConfig };
  return {
    name,
    ...commonFields(),
    description,
    type,
    ...rest,
    ...dependenciesOf(manifest),
    ...commonFields(),
  };
}

function dependenciesOf({ name, version, dependencies = {}, optionalDependencies }: Manifest) {
  const own = Object.entries(dependencies).filter(([each]) => !speech_sources.includes(each));
  return {
    dependencies: Object.fromEntries(own),
    ...(name === '@parley/server' && {
      optionalDependencies: { ...optionalDependencies, '@parley/speech': version },
    }),
  };
}
