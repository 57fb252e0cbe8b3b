// The project's own source files, for guards that read them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Tracked and new files, without ignored ones. */
export const projectFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));

/** Source of another project, kept as it was written there so that the difference to it stays small. */
const vendored = 'packages/server/src/providers/carrier/sip/sipjs/';

export const sourceFiles = (): string[] =>
  projectFiles().filter((path) => /\.(ts|tsx|mts|js|mjs)$/.test(path) && !path.startsWith(vendored));
