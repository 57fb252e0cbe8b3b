// Runs the blocks of one guide in order, in one shell and one folder, with the service of the test at the printed addresses.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Block } from './blocks.ts';

export type Service = { url: string; key: string; operator_key: string };
/** What a guide prints and what stands there in the test, such as its free port. */
export type Addresses = Record<string, string>;

const checkout = resolve('.');
export const venv_python = resolve('clients/python/.venv/bin/python');

/** Commands that a person would stop: they must still run after some seconds. */
const endless = (command: string, patterns: string, seconds: number) => `#!/bin/bash
case "$*" in
  ${patterns}) timeout ${seconds} ${command} "$@" && exit 1; [ $? = 124 ] ;;
  *) exec ${command} "$@" ;;
esac
`;
const programs: Record<string, string> = {
  // A refused request fails: a guide prints no request that is refused.
  curl: endless('"$GUIDE_CURL" --fail-with-body --max-time 90', '*/events/stream*', 2),
  parley: endless(
    `"${process.execPath}" "${join(checkout, 'packages/cli/bin/parley.js')}"`,
    'listen\\ *--forward-to*|events\\ tail*',
    4,
  ),
};

/** Programs in a language are the blocks of a guide together; `parley` is the client of its first page. */
const preambles: Record<string, { text: string; unless: RegExp }> = {
  ts: {
    text: `import { createParley } from '@parley/sdk';\nconst parley = createParley();\n`,
    unless: /createParley/,
  },
  python: { text: `from parley import Parley\nparley = Parley()\n`, unless: /import .*Parley\b/ },
};

export async function runGuide(
  blocks: Block[],
  service: Service,
  addresses: Addresses,
): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-guide-'));
  try {
    prepare(folder, service);
    const printed = (text: string) =>
      Object.entries(addresses).reduce((sum, [from, to]) => sum.replaceAll(from, to), text);
    writeFileSync(join(folder, 'guide.sh'), printed(scriptOf(blocks, folder, printed)));
    const { PATH = '' } = process.env;
    const child = spawn('timeout', ['200', 'bash', 'guide.sh'], {
      cwd: folder,
      env: {
        PATH: [join(folder, 'bin'), dirname(process.execPath), PATH].join(delimiter),
        GUIDE_CURL: programOnPath('curl'),
        HOME: folder,
        XDG_CONFIG_HOME: folder,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(checkout, 'node_modules/.cache/guides'),
        PYTHONPATH: join(checkout, 'clients/python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        PARLEY_URL: service.url,
        PARLEY_API_KEY: service.key,
        PARLEY_OPERATOR_KEY: service.operator_key,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The folder in which a person follows the guide: the keys of the service, the packages, and a file to send. */
function prepare(folder: string, { key, operator_key }: Service): void {
  for (const name of ['bin', 'data']) mkdirSync(join(folder, name));
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'data/shared-key'), key);
  writeFileSync(join(folder, 'data/operator-key'), operator_key);
  for (const name of ['invoice.pdf', 'menu.pdf', 'bill.pdf'])
    writeFileSync(join(folder, name), '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), text);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
}

function scriptOf(blocks: Block[], folder: string, printed: (text: string) => string): string {
  const parts = ['set -euo pipefail'];
  for (const block of blocks) {
    const { guide, line, language, text } = block;
    parts.push(`echo "--- ${guide}:${line}"`);
    if (language === 'sh') parts.push(text);
    else {
      const same = blocks.filter((other) => other.language === language);
      if (same.at(-1) !== block) continue;
      const program = join(folder, language === 'ts' ? 'guide.mts' : 'guide.py');
      writeFileSync(program, printed(programOf(same)));
      const command = language === 'ts' ? process.execPath : venv_python;
      parts.push(`"${command}" "${program}"`);
    }
  }
  return `${parts.join('\n')}\n`;
}

function programOf(blocks: Block[]): string {
  const text = blocks.map((block) => block.text).join('\n');
  const preamble = preambles[blocks[0]!.language]!;
  return preamble.unless.test(text) ? text : preamble.text + text;
}

/** The program itself, not the one that stands before it in the folder of a guide. */
function programOnPath(name: string): string {
  return (
    (process.env.PATH ?? '')
      .split(delimiter)
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path)) ?? name
  );
}
