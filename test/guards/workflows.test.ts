// Guard: the files in .github call scripts that exist, with the least permissions, and reveal no secret.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { projectFiles } from './source-files.ts';

type Permissions = Record<string, string> | undefined;
type Step = { uses?: string; run?: string; with?: Record<string, unknown>; env?: Record<string, string> };
type Job = {
  permissions?: Permissions;
  steps: Step[];
  'timeout-minutes'?: number;
  'runs-on'?: string;
  needs?: string | string[];
};
type Workflow = { on: Record<string, unknown>; permissions: Permissions; jobs: Record<string, Job> };

const read = (path: string) => readFileSync(path, 'utf8');
const paths = globSync('.github/workflows/*.yml').sort();
const workflows = paths.map((path) => ({ path, text: read(path), workflow: parse(read(path)) as Workflow }));
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Who may write the actions that run with our permissions. */
const trusted_owners = ['actions', 'docker', 'pypa'];

/** What a command line names that must exist: npm scripts and files of this repository. */
function problemsOf(run: string): string[] {
  const npm_scripts = [...run.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(test|start)\b)/g)].map(
    ([, named, short]) => named ?? short!,
  );
  const files = [
    ...run.matchAll(/(?<![\w./$-])((?:scripts|deploy|\.ci|clients|test|examples)\/[\w./-]+)/g),
  ].map(([, path]) => path!);
  return [
    ...npm_scripts.filter((name) => !Object.hasOwn(scripts, name)).map((name) => `npm run ${name}`),
    ...files.filter((path) => !existsSync(path)),
  ];
}

test('there is a workflow for tests and one for releases', () => {
  assert.deepEqual(
    paths.map((path) => basename(path)),
    ['release.yml', 'test.yml'],
  );
});

for (const { path, text, workflow } of workflows)
  describe(path, () => {
    const jobs = Object.entries(workflow.jobs);
    const steps = jobs.flatMap(([, job]) => job.steps);

    test('every script and file that it calls exists', () => {
      assert.deepEqual(
        steps.flatMap(({ run = '' }) => problemsOf(run)),
        [],
      );
      const files = steps.flatMap((step) => (typeof step.with?.file === 'string' ? [step.with.file] : []));
      assert.deepEqual(
        files.filter((file) => !existsSync(file)),
        [],
      );
    });

    test('it reads the repository by default, and only named jobs may write', () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      const writers = jobs.filter(([, { permissions = {} }]) => Object.values(permissions).includes('write'));
      if (basename(path) !== 'release.yml') assert.deepEqual(writers, []);
      // Code of a pull request must never run with the permissions of the target.
      assert.equal(Object.hasOwn(workflow.on, 'pull_request_target'), false);
    });

    test('it writes nothing that comes from outside, and no secret, into a shell command', () => {
      // An expression is replaced before the shell reads the line: a branch name could contain commands.
      assert.deepEqual(
        steps.filter(({ run = '' }) => run.includes('${{')).map(({ run }) => run),
        [],
      );
      assert.doesNotMatch(text, /\b(echo|printf|cat)\b[^\n]*\b(secrets\.|[A-Z_]*TOKEN\b)/);
      assert.doesNotMatch(text, /secrets: inherit/);
    });

    test('every action is a commit with its version in a comment, and has a known owner', () => {
      // A tag can be moved to other code later, a commit cannot.
      const named = [...text.matchAll(/uses: (\S+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$/gm)];
      const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
      assert.deepEqual(
        named.map(([, action, commit]) => `${action}@${commit}`),
        used,
      );
      for (const uses of used) assert.ok(trusted_owners.includes(uses.split('/')[0]!), uses);
    });

    test('checkouts leave no credentials behind, and every job has a time limit', () => {
      for (const { uses, with: options } of steps)
        if (uses?.startsWith('actions/checkout@')) assert.equal(options?.['persist-credentials'], false);
      for (const [name, job] of jobs) assert.ok((job['timeout-minutes'] ?? 0) > 0, name);
    });

    test('every job waits for jobs that exist', () => {
      const needed = jobs.flatMap(([, { needs = [] }]) => [needs].flat());
      assert.deepEqual(
        needed.filter((name) => !Object.hasOwn(workflow.jobs, name)),
        [],
      );
    });
  });

test('the check of command lines finds scripts and files that do not exist', () => {
  assert.deepEqual(
    problemsOf('npm run no-such-script && scripts/no-such-file --flag && npm run lint && .ci/run'),
    ['npm run no-such-script', 'scripts/no-such-file'],
  );
});

describe('.github/dependabot.yml', () => {
  type Update = {
    'package-ecosystem': string;
    directory?: string;
    directories?: string[];
    groups?: object;
    schedule?: { interval?: string };
  };
  const { version, updates } = parse(read('.github/dependabot.yml')) as {
    version: number;
    updates: Update[];
  };
  const foldersOf = ({ directory, directories = [] }: Update) =>
    [...directories, ...(directory ? [directory] : [])].map((folder) => join('.', folder).replace(/\/$/, ''));
  const manifests: Record<string, string> = {
    npm: 'package-lock.json',
    pip: '{pyproject.toml,requirements.txt}',
    docker: 'Dockerfile',
    'docker-compose': 'compose.yaml',
    'github-actions': '.github/workflows',
  };

  test('it covers npm, pip, docker and actions, in groups, every week', () => {
    assert.equal(version, 2);
    assert.deepEqual(
      updates.map((update) => update['package-ecosystem']).sort(),
      Object.keys(manifests).sort(),
    );
    for (const update of updates) {
      assert.ok(update.groups && Object.keys(update.groups).length > 0, update['package-ecosystem']);
      assert.equal(update.schedule?.interval, 'weekly');
    }
  });

  test('every folder holds what is to be updated', () => {
    for (const update of updates)
      for (const folder of foldersOf(update)) {
        const path = join(folder, manifests[update['package-ecosystem']]!);
        assert.ok(globSync(path).length > 0, path);
      }
  });

  test('no lock file of npm is left out', () => {
    const locked = projectFiles()
      .filter((path) => basename(path) === 'package-lock.json')
      .map(dirname);
    const covered = updates.filter((update) => update['package-ecosystem'] === 'npm').flatMap(foldersOf);
    assert.deepEqual(
      locked.filter((folder) => !covered.includes(folder)),
      [],
    );
  });
});

describe('.github/ISSUE_TEMPLATE', () => {
  test('every form asks at least one required question, under unique names', () => {
    const forms = globSync('.github/ISSUE_TEMPLATE/*.yml').filter((path) => basename(path) !== 'config.yml');
    assert.ok(forms.length >= 2);
    for (const path of forms) {
      type Question = { type: string; id?: string; validations?: { required?: boolean } };
      const form = parse(read(path)) as { name: string; description: string; body: Question[] };
      assert.ok(form.name && form.description, path);
      const ids = form.body.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, path);
      assert.ok(
        form.body.some(({ validations }) => validations?.required),
        path,
      );
    }
  });

  test('vulnerabilities are sent to SECURITY.md', () => {
    assert.match(read('.github/ISSUE_TEMPLATE/security.md'), /SECURITY\.md/);
    assert.ok(statSync('.github/SECURITY.md').size > 0);
  });
});
