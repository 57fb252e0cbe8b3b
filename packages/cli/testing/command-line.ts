// Runs the command line as users do: as a process with its own home folder, piped or in a terminal.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../../server/testing/wait-for.ts';

const command = fileURLToPath(new URL('../bin/parley.js', import.meta.url));
/** Every test has an empty home folder, so the cache there would always be empty. */
const compiled =
  process.env.NODE_COMPILE_CACHE ??
  fileURLToPath(new URL('../../../node_modules/.cache/parley-tests/compiled', import.meta.url));

export type Outcome = { code: number | null; stdout: string; stderr: string };

export type Running = {
  child: ChildProcess;
  /** The output so far. */
  stdout(): string;
  /** Resolves once standard output matches. */
  prints(pattern: RegExp): Promise<void>;
  done: Promise<Outcome>;
};

export function commandLine(url: string) {
  const config = mkdtempSync(join(tmpdir(), 'parley-cli-'));
  after(() => rmSync(config, { recursive: true, force: true }));
  const environmentWith = (more: Record<string, string>) => ({
    PATH: process.env.PATH!,
    HOME: config,
    XDG_CONFIG_HOME: config,
    PARLEY_URL: url,
    NODE_COMPILE_CACHE: compiled,
    ...more,
  });

  const start = (args: string[], environment: Record<string, string> = {}, input = ''): Running => {
    const child = spawn(process.execPath, [command, ...args], {
      env: environmentWith(environment),
      cwd: config,
    });
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      outcome.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      outcome.stderr += chunk;
    });
    // A command that fails early can exit before it reads its input; the write then fails with EPIPE.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const done = new Promise<Outcome>((resolve) =>
      child.on('close', (code) => resolve({ ...outcome, code })),
    );
    after(async () => {
      child.kill('SIGKILL');
      await done;
    });
    return {
      child,
      stdout: () => outcome.stdout,
      prints: (pattern) =>
        until(
          () => pattern.test(outcome.stdout),
          () => `${pattern} in ${outcome.stdout}${outcome.stderr}`,
        ),
      done,
    };
  };

  return {
    config,
    start,
    parley: (args: string[], environment?: Record<string, string>, input?: string) =>
      start(args, environment, input).done,
    environmentWith,
  };
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  what: () => string = () => String(condition),
): Promise<void> {
  await waitFor(what, condition);
}

export const has_tmux = (() => {
  try {
    execFileSync('tmux', ['-V']);
    return true;
  } catch {
    return false;
  }
})();

/** A Node of the oldest version that the README lists, if this machine has one. */
export const oldNode = (): string | null => {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  for (const folder of folders) {
    try {
      const path = join(folder, 'node');
      if (/^v20\./.test(execFileSync(path, ['--version'], { encoding: 'utf8' }))) return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
};

/** A separate tmux server, so that other sessions are not affected. */
export function terminal(environment: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tmux-'));
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const set = Object.entries({ ...environment, TERM: 'xterm-256color' }).map(
    ([name, value]) => `${name}=${value}`,
  );
  tmux('new-session', '-d', '-x', '160', '-y', '50', 'env', '-i', ...set, 'sh');
  after(() => {
    tmux('kill-server');
    rmSync(folder, { recursive: true, force: true });
  });
  const screen = () => tmux('capture-pane', '-p', '-J');
  return {
    type: (text: string) => void tmux('send-keys', '-l', text),
    key: (name: string) => void tmux('send-keys', name),
    run(args: string, environment: Record<string, string> = {}): void {
      const set = Object.entries(environment).map(([name, value]) => `${name}=${value} `);
      tmux('send-keys', '-l', `clear; ${set.join('')}${process.execPath} ${command} ${args}; echo "exit=$?"`);
      tmux('send-keys', 'Enter');
    },
    screen,
    /** With the escape sequences of colors. */
    coloredScreen: () => tmux('capture-pane', '-p', '-J', '-e'),
    shows: (pattern: RegExp) =>
      until(
        () => pattern.test(screen()),
        () => `${pattern} on\n${screen()}`,
      ),
  };
}
