// Reads CHANGELOG.md, adds a release to it, and returns the notes of one release.
import { wrappedText } from '../wrapped-text.ts';
import { type Change, type Kind, kinds } from './changes.ts';

/** `date` is null for changes that are not released. An item is the text of a list entry, with its line breaks. */
export type Release = { version: string; date: string | null; parts: Partial<Record<Heading, string[]>> };
export type Changelog = { introduction: string; releases: Release[] };
export type Heading = (typeof headings)[number];

/** A long release is grouped by what users do; a short one as its change files are, by kind. */
export const headings = [
  'Security',
  'Calls',
  'Email',
  'Texts and numbers',
  'Agents',
  'Rules',
  'Operations',
  'Console',
  'Clients',
  'Added',
  'Changed',
  'Fixed',
  'Removed',
  'Upgrade notes',
] as const;
export const most_lines = 80;
export const heading_of: Record<Kind, Heading> = {
  security: 'Security',
  added: 'Added',
  changed: 'Changed',
  fixed: 'Fixed',
  removed: 'Removed',
};
export const unreleased = 'Unreleased';
const no_notes = 'None.';

export class ChangelogError extends Error {}

/** Throws a `ChangelogError` with the line that does not have the form of this file. */
export function parseChangelog(text: string): Changelog {
  const [introduction = '', ...sections] = text.trimEnd().split(/^(?=## )/m);
  if (!introduction.startsWith('# Changelog\n'))
    throw new ChangelogError('CHANGELOG.md does not begin with "# Changelog".');
  return { introduction: introduction.trim(), releases: sections.map(parseRelease) };
}

function parseRelease(section: string): Release {
  const [title = '', ...parts] = section.trimEnd().split(/^(?=### )/m);
  const match = /^## (?:(Unreleased)|(\d+\.\d+\.\d+(?:-[\w.]+)?) - (\d{4}-\d{2}-\d{2}))$/.exec(title.trim());
  if (!match)
    throw new ChangelogError(`"${title.trim()}" is not "## <version> - <date>" or "## Unreleased".`);
  const [, open, version, date] = match;
  const release: Release = { version: open ?? version!, date: date ?? null, parts: {} };
  for (const part of parts) {
    const [line = '', ...rest] = part.trimEnd().split('\n');
    const heading = line.slice('### '.length) as Heading;
    if (!headings.includes(heading))
      throw new ChangelogError(`${release.version}: "${line}" is not one of ${headings.join(', ')}.`);
    if (release.parts[heading]) throw new ChangelogError(`${release.version}: "${line}" is there twice.`);
    release.parts[heading] = parseItems(`${release.version}, ${heading}`, rest.join('\n').trim());
  }
  return release;
}

function parseItems(place: string, text: string): string[] {
  const items = text.split(/^(?=- )/m).map((item) => item.trimEnd());
  const wrong = items.find((item) => !/^- \S.*(\n {2}\S.*)*$/.test(item));
  if (wrong !== undefined)
    throw new ChangelogError(`${place}: "${wrong.slice(0, 60)}" is not a list entry that begins with "- ".`);
  return items.map((item) => item.slice('- '.length));
}

export const renderRelease = ({ version, date, parts }: Release): string =>
  [
    `## ${date === null ? version : `${version} - ${date}`}`,
    ...headings.flatMap((heading) => {
      const items = parts[heading];
      return items ? [`### ${heading}`, items.map((item) => `- ${item}`).join('\n')] : [];
    }),
  ].join('\n\n');

export const renderChangelog = ({ introduction, releases }: Changelog): string =>
  `${[introduction, ...releases.map(renderRelease)].join('\n\n')}\n`;

/** The changelog with a new release made of the change files and of everything below "Unreleased". */
export function foldRelease(
  changelog: Changelog,
  version: string,
  date: string,
  changes: Change[],
): Changelog {
  if (changelog.releases.some((release) => release.version === version))
    throw new ChangelogError(`CHANGELOG.md already has the release ${version}.`);
  const parts = { ...changelog.releases.find((release) => release.version === unreleased)?.parts };
  const add = (heading: Heading, text: string) => {
    parts[heading] = [...(parts[heading] ?? []), wrappedText(text, '  ')];
  };
  for (const kind of kinds)
    for (const change of changes) if (change.kind === kind) add(heading_of[kind], change.text);
  for (const { upgrade } of changes) if (upgrade !== null) add('Upgrade notes', upgrade);
  if (Object.keys(parts).length === 0)
    throw new ChangelogError('There is nothing to release: no change file and no entry below "Unreleased".');
  if (!parts['Upgrade notes']) add('Upgrade notes', no_notes);
  const earlier = changelog.releases.filter((release) => release.version !== unreleased);
  return { ...changelog, releases: [{ version, date, parts }, ...earlier] };
}

/** The text of one release without its title, for the page of a GitHub release. */
export function releaseNotes(changelog: Changelog, version: string): string {
  const release = changelog.releases.find((each) => each.version === version);
  if (!release?.date) throw new ChangelogError(`CHANGELOG.md has no release ${version}.`);
  return `${renderRelease(release).split('\n\n').slice(1).join('\n\n')}\n`;
}
