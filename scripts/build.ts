// Builds every package that is published, each as a complete folder below build/: `npm pack ./build/sdk` packs one of them.
// The checkout itself runs its TypeScript sources and does not use this build, except for the console.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type CompiledPackage,
  compiled_packages,
  compilePackages,
  published_packages,
} from './build/compile.ts';
import { commonFields, publishManifest } from './build/publish-manifest.ts';
import { buildSpeech } from './build/speech.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

export const build_folder = 'build';

const sipjs = 'providers/carrier/sip/sipjs';

/** What a package contains besides its compiled sources: [from, to]. */
const contents: Partial<Record<CompiledPackage, readonly (readonly [string, string])[]>> = {
  contract: [['packages/contract/openapi.json', 'openapi.json']],
  mcp: [['packages/mcp/mcp-tools.json', 'mcp-tools.json']],
  cli: [['packages/cli/src/commands.json', 'dist/commands.json']],
  server: [
    ['packages/console/dist', 'console'],
    ['packages/server/migrations', 'migrations'],
    // JavaScript, which the compiler does not copy.
    [`packages/server/src/${sipjs}`, `dist/${sipjs}`],
    ['docs/guides', 'guides'],
    ['docs/reference', 'reference'],
  ],
};

export function build(): void {
  execFileSync(process.execPath, ['packages/console/build.ts'], { stdio: 'inherit' });
  rmSync(build_folder, { recursive: true, force: true });
  const folders = Object.fromEntries(
    compiled_packages.map((name) => [name, join(build_folder, name, 'dist')]),
  ) as Record<CompiledPackage, string>;
  compilePackages(folders);
  for (const name of compiled_packages) addContents(name);
  buildSpeech(join(build_folder, 'speech'), commonFields());
  for (const name of published_packages) {
    copyFileSync('LICENSE', join(build_folder, name, 'LICENSE'));
    const readme = name === 'speech' ? 'scripts/build/speech-readme.md' : `packages/${name}/README.md`;
    copyFileSync(readme, join(build_folder, name, 'README.md'));
    writeFileSync(join(build_folder, name, 'THIRD-PARTY-NOTICES'), thirdPartyNotices([name]));
  }
}

function addContents(name: CompiledPackage): void {
  const [source, target] = [`packages/${name}`, join(build_folder, name)];
  for (const [from, to] of contents[name] ?? []) cpSync(from, join(target, to), { recursive: true });
  const manifest = publishManifest(source);
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  if (existsSync(`${source}/bin`)) addPrograms(source, target);
}

/** Programs of the checkout import the unbuilt sources. */
function addPrograms(source: string, target: string): void {
  mkdirSync(join(target, 'bin'));
  for (const name of readdirSync(`${source}/bin`)) {
    const text = readFileSync(`${source}/bin/${name}`, 'utf8');
    const published = text.replace("import('../src/main.ts')", "import('../dist/main.js')");
    if (published === text) throw new Error(`${source}/bin/${name} does not import ../src/main.ts.`);
    writeFileSync(join(target, 'bin', name), published, { mode: 0o755 });
  }
}

if (import.meta.main) {
  build();
  console.log(`Built ${published_packages.map((name) => `${build_folder}/${name}`).join(', ')}.`);
}
