// Processes that a test starts from a few lines of source, and that end while they work. They import the sources of the server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const server_folder = fileURLToPath(new URL('..', import.meta.url));

export type DyingProcess = {
  /** Lines that the process has printed so far. */
  lines: readonly string[];
  /** Resolves when the process has printed a line that begins with this text. */
  prints(text: string): Promise<string>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal?: NodeJS.Signals): void;
};

/** `source` is a module; `database_url` is its first argument. */
export function startProcess(source: string, database_url: string, ...more: string[]): DyingProcess {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', source, '--', database_url, ...more],
    {
      cwd: server_folder,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return {
    lines,
    prints: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = lines.find((each) => each.startsWith(text));
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
        exited.then(() => {
          look();
          reject(new Error(`The process ended without "${text}"`));
        }, reject);
      }),
    exited,
    kill: (signal = 'SIGKILL') => void child.kill(signal),
  };
}
