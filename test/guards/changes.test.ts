// Guard: change files and CHANGELOG.md have the form that the release script reads.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import {
  ChangelogError,
  foldRelease,
  most_lines,
  parseChangelog,
  releaseNotes,
  renderChangelog,
  renderRelease,
} from '../../scripts/release/changelog.ts';
import { ChangeError, parseChange, readChanges } from '../../scripts/release/changes.ts';

const text = readFileSync('CHANGELOG.md', 'utf8');
const changelog = parseChangelog(text);
const released = changelog.releases.filter(({ date }) => date !== null);

test('every change file has a kind, a text and an upgrade note', () => {
  assert.ok(Object.values(readChanges()).every(({ text }) => text !== ''));
});

test('released sections have exactly the form that a release writes', () => {
  const [, written] = renderChangelog({ ...changelog, releases: released }).split(/\n(?=## )([\s\S]*)/);
  assert.ok(written && text.endsWith(written));
});

test('every release has a date and upgrade notes, and the newest is first', () => {
  assert.ok(released.length > 0);
  for (const { version, parts } of released) assert.ok(parts['Upgrade notes'], version);
  const dates = released.map(({ date }) => date!);
  assert.deepEqual(dates, dates.toSorted().reverse());
  for (const date of dates) assert.equal(new Date(date).toISOString().slice(0, 10), date);
});

test('a released section is read in two screens', () => {
  for (const release of released) {
    const lines = renderRelease(release).split('\n').length;
    assert.ok(lines <= most_lines, `${release.version}: ${lines} lines; the whole list is in docs/upgrades`);
  }
});

test('unreleased changes are above all releases, in at most one section', () => {
  const open = changelog.releases.flatMap(({ date }, index) => (date === null ? [index] : []));
  assert.ok(open.length === 0 || (open.length === 1 && open[0] === 0), `sections ${open}`);
});

test('a change file that has not the form is refused with what to correct', () => {
  const refused = (name: string, content: string, reason: RegExp) =>
    assert.throws(
      () => parseChange(name, content),
      (error) => error instanceof ChangeError && reason.test(error.message),
    );
  refused('Busy Calls.md', 'fixed: Text.\n\nupgrade: none\n', /kebab-case/);
  refused('a.md', 'Text.\n', /<kind>: <text>/);
  refused('a.md', 'fixed: Text.\n', /upgrade/);
  refused('a.md', 'improved: Text.\n\nupgrade: none\n', /not one of/);
  refused('a.md', 'fixed: Text\n\nupgrade: none\n', /period/);
  refused('a.md', `fixed: ${'long '.repeat(200)}end.\n\nupgrade: none\n`, /longer than/);
  refused('a.md', 'fixed: Text.\n\nMore.\n\nupgrade: none\n', /one paragraph/);
});

test('`npm run change` writes a file that can be read, and refuses anything else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-change-'));
  mkdirSync(join(folder, '.changes'));
  const change = (...args: string[]) =>
    spawnSync(process.execPath, [resolve('scripts/release/add-change.ts'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  assert.equal(
    change('fixed', 'Busy numbers end the call.').stdout.trim(),
    '.changes/busy-numbers-end-the-call.md',
  );
  change('fixed', 'Busy numbers end the call.', 'Restart.');
  assert.deepEqual(readChanges(folder), {
    'busy-numbers-end-the-call-2.md': {
      kind: 'fixed',
      text: 'Busy numbers end the call.',
      upgrade: 'Restart.',
    },
    'busy-numbers-end-the-call.md': { kind: 'fixed', text: 'Busy numbers end the call.', upgrade: null },
  });
  assert.equal(change('improved', 'Text.').status, 1);
  assert.equal(change('fixed').status, 2);
  rmSync(folder, { recursive: true });
});

test('a changelog that has not the form is refused with the line', () => {
  const refused = (body: string, reason: RegExp) =>
    assert.throws(
      () => parseChangelog(`# Changelog\n\n${body}\n`),
      (error) => error instanceof ChangelogError && reason.test(error.message),
    );
  refused('## 1.0.0', /1\.0\.0/);
  refused('## 1.0.0 - yesterday', /yesterday/);
  refused('## 1.0.0 - 2026-01-02\n\n### Improved\n\n- Text.', /Improved/);
  refused('## 1.0.0 - 2026-01-02\n\n### Added\n\nText.', /list entry/);
  refused('## 1.0.0 - 2026-01-02\n\n### Added\n\n- A.\n\n### Added\n\n- B.', /twice/);
});

test('a release joins change files with what was written below "Unreleased"', () => {
  const before = parseChangelog(
    '# Changelog\n\n## Unreleased\n\n### Changed\n\n- By hand.\n\n## 0.1.0 - 2026-01-01\n\n### Upgrade notes\n\n- None.\n',
  );
  const folded = foldRelease(before, '0.2.0', '2026-02-03', [
    { kind: 'changed', text: 'By file.', upgrade: 'Do this.' },
    { kind: 'security', text: `${'word '.repeat(60)}end.`, upgrade: null },
  ]);
  assert.deepEqual(
    folded.releases.map(({ version, date }) => [version, date]),
    [
      ['0.2.0', '2026-02-03'],
      ['0.1.0', '2026-01-01'],
    ],
  );
  assert.deepEqual(folded.releases[0]!.parts.Changed, ['By hand.', 'By file.']);
  assert.deepEqual(folded.releases[0]!.parts['Upgrade notes'], ['Do this.']);
  // What a release writes can be read again.
  assert.deepEqual(parseChangelog(renderChangelog(folded)), folded);
  assert.match(
    releaseNotes(folded, '0.2.0'),
    /^### Security\n\n- word[\s\S]*### Upgrade notes\n\n- Do this\.\n$/,
  );
  assert.throws(() => foldRelease(folded, '0.2.0', '2026-02-03', []), /already/);
  assert.throws(() => foldRelease(folded, '0.3.0', '2026-02-03', []), /nothing to release/);
});
