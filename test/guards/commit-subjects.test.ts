// Guard: subjects of commits since the last release have the form that CONTRIBUTING.md describes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const longest = 72;
const [, listed = ''] =
  /Types of commits: ([^.]+)\./.exec(readFileSync('.github/CONTRIBUTING.md', 'utf8')) ?? [];
const types = [...listed.matchAll(/`([a-z]+)`/g)].map(([, type]) => type!);
const form = new RegExp(
  `^(?:${types.join('|')})(?:\\([a-z0-9-]+(?:, ?[a-z0-9-]+)*\\))?!?: (?<summary>\\S.*[^.\\s])$`,
);
/** Words of these forms begin a statement: an article, a pronoun, a verb that is not in its base form. */
const statement =
  /^(an?|the|its?|this|that|these|each|every|no|all|some|when|after|before|\w+[^aisu]s|\w+ed|\w+ing)$/i;
const base_forms = new Set(['bring', 'embed', 'exceed', 'feed', 'need', 'ping', 'proceed', 'seed', 'speed']);

/** Subjects that landed together with this guard. Nothing is added here; the next release empties it. */
const excepted = new Set(['docs: mechanisms that exist, decisions by wing']);

function problemOf(subject: string): string | null {
  if (subject.length > longest) return `${subject.length} characters; at most ${longest}`;
  const summary = form.exec(subject)?.groups?.summary;
  if (summary === undefined) return `not "type(scope): summary" with one of ${types.join(', ')}`;
  const [first = ''] = summary.split(/[\s,:;]/);
  return statement.test(first) && !base_forms.has(first)
    ? `"${first}" does not begin an instruction such as "add" or "refuse"`
    : null;
}

/** Subjects after the commit of the last release, or why they cannot be read. */
function subjectsSinceRelease(): { subjects: string[] } | { reason: string } {
  const git = (...args: string[]) =>
    spawnSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const shallow = git('rev-parse', '--is-shallow-repository');
  if (shallow.status !== 0) return { reason: 'there is no git history' };
  if (shallow.stdout.trim() === 'true') return { reason: 'the git history is shallow' };
  const subjects = git('log', '--no-merges', '--format=%s').stdout.trim().split('\n');
  const release = subjects.findIndex((subject) => subject.startsWith('chore(release): '));
  return release < 0
    ? { reason: 'the git history has no release' }
    : { subjects: subjects.slice(0, release) };
}

const since = subjectsSinceRelease();

test('every commit since the last release has a subject of the agreed form', {
  skip: 'reason' in since && since.reason,
}, () => {
  if ('reason' in since) return;
  const wrong = since.subjects.flatMap((subject) => {
    const problem = excepted.has(subject) ? null : problemOf(subject);
    return problem === null ? [] : [`${subject}: ${problem}`];
  });
  assert.deepEqual(wrong, []);
});

test('a subject without a type, a long one, and a statement are refused', () => {
  assert.ok(types.length > 5, 'CONTRIBUTING.md lists the types of commits');
  for (const subject of [
    'fix(calls): end a call whose relay is silent',
    'refactor(contract)!: name operations in snake_case',
    'docs: press the keys of a menu',
    'test: feed slow readers',
    'feat(access): focus the first field',
  ])
    assert.equal(problemOf(subject), null, subject);
  for (const subject of [
    'end a call whose relay is silent',
    'change(calls): end a call',
    'fix(calls): end a call.',
    'fix(calls): a call whose relay is silent ends',
    'fix(calls): ends a call',
    'fix(calls): ended a call',
    'fix(calls): ending a call',
    `fix(calls): end ${'a '.repeat(40)}call`,
  ])
    assert.notEqual(problemOf(subject), null, subject);
});
