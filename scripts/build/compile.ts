// Compiles the sources of the packages to JavaScript with source maps and declarations.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const compiled_packages = ['contract', 'sdk', 'mcp', 'cli', 'server'] as const;
export type CompiledPackage = (typeof compiled_packages)[number];
export const published_packages = [...compiled_packages, 'speech'] as const;
export type PublishedPackage = (typeof published_packages)[number];

const tsc = resolve('node_modules/typescript/bin/tsc');
/** The compiler is a Go program that ends soon: collecting garbage less often saves a fifth of its processor time. */
export const compiler_environment = { GOGC: '400' };
const test_files = ['**/*.test.ts', '**/testing/**', '**/*conformance.ts'];

/** `outputs` is the `dist` folder of each package. */
export function compilePackages(outputs: Record<CompiledPackage, string>): void {
  const packages = resolve('packages');
  // `npm run types` checks the types; without a check the same files are written in a fraction of the time.
  const options = { noCheck: true, declaration: true, sourceMap: true, inlineSources: true };
  compile({ ...options, rootDir: packages }, compiled_packages, (folder) => {
    for (const name of compiled_packages) copyModules(join(folder, name, 'src'), outputs[name]);
  });
  const common_js = { module: 'commonjs', moduleResolution: 'bundler', verbatimModuleSyntax: false };
  compile({ ...options, ...common_js, rootDir: join(packages, 'sdk/src') }, ['sdk'], (folder) =>
    copyModules(folder, join(outputs.sdk, 'cjs')),
  );
  writeFileSync(join(outputs.sdk, 'cjs/package.json'), '{ "type": "commonjs" }\n');
}

function compile(
  options: object,
  names: readonly CompiledPackage[],
  copy: (compiled_folder: string) => void,
): void {
  const folder = mkdtempSync(join(tmpdir(), 'parley-compile-'));
  const outDir = join(folder, 'out');
  const include = names.map((name) => resolve('packages', name, 'src'));
  const project = {
    extends: resolve('tsconfig.json'),
    compilerOptions: { noEmit: false, typeRoots: [resolve('node_modules/@types')], ...options, outDir },
    include,
    exclude: include.flatMap((source) => test_files.map((pattern) => join(source, pattern))),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  try {
    execFileSync(process.execPath, [tsc, '-p', folder], {
      stdio: 'pipe',
      encoding: 'utf8',
      env: { ...process.env, ...compiler_environment },
    });
    copy(outDir);
  } catch (error) {
    const { stdout = '', message } = error as Error & { stdout?: string };
    throw new Error(`The sources cannot be compiled: ${message}\n${stdout}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copyModules(from: string, to: string): void {
  for (const path of globSync('**/*.{js,map,d.ts}', { cwd: from })) {
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, publishedText(path, readFileSync(join(from, path), 'utf8')));
  }
}

/** The compiler rewrites `.ts` in the imports of modules, but neither in declarations nor in the URLs of worker threads. */
function publishedText(path: string, text: string): string {
  if (path.endsWith('.map')) {
    const source = path.replaceAll('\\', '/').replace(/\.js\.map$/, '.ts');
    const sources = [`${'../'.repeat(source.split('/').length)}src/${source}`];
    return JSON.stringify({ ...JSON.parse(text), sources });
  }
  const published = path.endsWith('.d.ts')
    ? text.replaceAll(/((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2')
    : text.replaceAll(/(new URL\('\.{1,2}\/[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2');
  const left = /['"]\.{1,2}\/[^'"\n]+\.ts['"]/.exec(published);
  if (left) throw new Error(`${path} refers to a source file that is not published: ${left[0]}`);
  return published;
}
