// The second half of a release: builds and tests the artifacts of the version in package.json, below release/<version>.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { thirdPartyNotices } from '../third-party-notices.ts';
import { productVersion } from '../version.ts';
import { parseChangelog, releaseNotes } from './changelog.ts';
import { run } from './commands.ts';
import { type Release, ReleaseError, type Step } from './release-run.ts';
import { assertValidSbom } from './sbom-schema.ts';
import { publishedSboms } from './sboms.ts';

const tarball_folder = 'build/tarballs';
const checksum_file = 'SHA256SUMS';
const python = resolve('clients/python/.venv/bin/python');

function pack({ folder }: Release): string {
  run('npm', ['run', '--silent', 'pack']);
  const names = readdirSync(tarball_folder).filter((name) => name.endsWith(`-${productVersion()}.tgz`));
  if (names.length === 0) throw new ReleaseError(`${tarball_folder} has no tarball of ${productVersion()}.`);
  mkdirSync(folder, { recursive: true });
  for (const name of names) copyFileSync(join(tarball_folder, name), join(folder, name));
  return `packed ${names.join(', ')}`;
}

/** With CI=1 a test fails that would be skipped because a program is not installed. */
function testTarballs({ folder }: Release): string {
  const tarballs = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tgz')) : [];
  if (tarballs.length === 0)
    throw new ReleaseError('There are no tarballs to test: the step `pack` was left out.');
  run('npm', ['test', '--', 'test/packages/', 'test/python/'], { CI: '1', TEST_TARBALLS: resolve(folder) });
  return `installed and tested ${tarballs.length} tarballs in an empty folder`;
}

function buildPython({ folder }: Release): string {
  if (!existsSync(python))
    throw new ReleaseError('The Python client needs its build tools: run scripts/install-test-packages.');
  const draft = resolve(folder, 'python');
  rmSync(draft, { recursive: true, force: true });
  // $0 and $1 are the two arguments after the script.
  run('sh', ['-c', 'cd clients/python && exec "$0" -m hatchling build -d "$1"', python, draft]);
  const names = readdirSync(draft).filter((name) => /\.(whl|tar\.gz)$/.test(name));
  if (names.length < 2)
    throw new ReleaseError('The Python client was not built: a wheel and an archive are missing.');
  for (const name of names) copyFileSync(join(draft, name), join(folder, name));
  rmSync(draft, { recursive: true });
  return `built ${names.join(', ')}`;
}

/** For the version in package.json: a dry run does not write the new one. */
function writeSboms({ date, folder }: Release): string {
  const sboms = publishedSboms(productVersion(), date);
  mkdirSync(folder, { recursive: true });
  let validated = true;
  for (const [name, sbom] of Object.entries(sboms)) {
    validated = assertValidSbom(name, sbom) && validated;
    writeFileSync(join(folder, name), `${JSON.stringify(sbom, null, 2)}\n`);
  }
  const count = Object.keys(sboms).length;
  if (validated) return `wrote ${count} files, valid CycloneDX`;
  return `wrote ${count} files; not validated, because the schema is not installed: scripts/install-test-packages`;
}

function writeTexts({ version, folder, dry_run }: Release): string {
  const changelog = dry_run ? join(folder, 'CHANGELOG.md') : 'CHANGELOG.md';
  const notes = releaseNotes(parseChangelog(readFileSync(changelog, 'utf8')), version);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'RELEASE-NOTES.md'), notes);
  copyFileSync('LICENSE', join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES'), thirdPartyNotices());
  return 'wrote RELEASE-NOTES.md, THIRD-PARTY-NOTICES and LICENSE';
}

/** In the form of `sha256sum`, so that `sha256sum --check SHA256SUMS` verifies a download. */
function writeChecksums({ folder }: Release): string {
  const names = readdirSync(folder)
    .filter((name) => name !== checksum_file)
    .sort();
  const lines = names.map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(folder, checksum_file), lines.join(''));
  return `wrote ${checksum_file} for ${names.length} files`;
}

/** A signature says who built an artifact. Only the release workflow has an identity that others can verify. */
function explainSignatures(): string {
  return process.env.ACTIONS_ID_TOKEN_REQUEST_URL
    ? 'signs nothing itself; the next steps of the workflow sign with its identity'
    : 'signed nothing: this machine has no identity to sign with; the release workflow signs what it builds from the tag';
}

export const artifact_steps: readonly Step[] = [
  { name: 'pack', title: 'build and pack the npm packages', run: pack },
  { name: 'tarball-tests', title: 'install the tarballs and test them', run: testTarballs },
  { name: 'python', title: 'build the Python client', run: buildPython },
  { name: 'sbom', title: 'list the components of each package', run: writeSboms },
  { name: 'texts', title: 'write notes and licences', run: writeTexts },
  { name: 'checksums', title: 'write checksums', run: writeChecksums },
  { name: 'signatures', title: 'report whether the artifacts can be signed', run: explainSignatures },
];
