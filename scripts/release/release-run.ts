// Runs the steps of a release one after the other, prints progress, and records what is done so that a run can be continued.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type Release = {
  version: string;
  /** The day of the release, in UTC. It stays the same when a run is continued on another day. */
  date: string;
  /** The commit that the release starts from. */
  commit: string;
  folder: string;
  dry_run: boolean;
};
export type Step = {
  name: string;
  /** What the step does, in the imperative; printed while it runs. */
  title: string;
  /** Must be safe to run twice, because a stopped run repeats its last step. Returns what was done. */
  run(release: Release): string | Promise<string>;
};
type State = { date: string; commit: string; done: Record<string, string> };

/** An error whose message says what to do; it is printed without a stack. */
export class ReleaseError extends Error {}

/** Beside the folder, because everything in the folder is published. */
export const stateFile = (folder: string): string => `${folder}.state.json`;

export function readState(folder: string): State | null {
  try {
    return JSON.parse(readFileSync(stateFile(folder), 'utf8')) as State;
  } catch {
    return null;
  }
}

export function writeState(folder: string, state: State): void {
  mkdirSync(dirname(folder), { recursive: true });
  writeFileSync(stateFile(folder), `${JSON.stringify(state, null, 2)}\n`);
}

/** Returns the names of the steps that were left out. */
export async function runSteps(
  steps: readonly Step[],
  release: Release,
  skipped: readonly string[],
  print: (line: string) => void,
): Promise<string[]> {
  const { date, commit, folder } = release;
  const done = readState(folder)?.done ?? {};
  for (const [index, step] of steps.entries()) {
    const place = `[${index + 1}/${steps.length}] ${step.name}`;
    if (skipped.includes(step.name)) {
      print(`${place}: left out, because of --skip`);
      continue;
    }
    if (done[step.name] !== undefined) {
      print(`${place}: done before: ${done[step.name]}`);
      continue;
    }
    print(`${place}: ${step.title} ...`);
    const start_ms = performance.now();
    const result = await step.run(release);
    print(`${place}: ${result} (${((performance.now() - start_ms) / 1000).toFixed(1)} s)`);
    done[step.name] = result;
    writeState(folder, { date, commit, done });
  }
  return steps.map(({ name }) => name).filter((name) => skipped.includes(name));
}
