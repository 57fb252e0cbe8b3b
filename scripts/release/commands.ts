// Starts the programs that a release needs; a program that fails stops the release with the command to repeat.
import { execFileSync } from 'node:child_process';
import { ReleaseError } from './release-run.ts';

export function run(program: string, args: string[], env: Record<string, string> = {}): void {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? ' is not installed' : ' failed';
    throw new ReleaseError(
      `\`${[program, ...args].join(' ')}\`${reason}. Correct it and run the release again: it continues at this step.`,
    );
  }
}

export const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trimEnd();

/** The content of a file in the commit that the release starts from: a repeated step must not read its own result. */
export const fileInCommit = (commit: string, path: string): string => `${git('show', `${commit}:${path}`)}\n`;
