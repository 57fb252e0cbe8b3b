// Writes the page of a release in docs/upgrades: what operators and clients have to do, then every change.
import { wrappedText } from '../wrapped-text.ts';
import { type Heading, heading_of, headings, type Release } from './changelog.ts';
import type { Change } from './changes.ts';

export const upgradePagePath = (version: string): string => `docs/upgrades/${version}.md`;

const entry = (text: string) => `- ${wrappedText(text, '  ')}`;
/** The changelog breaks its lines at another width. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

/** `unreleased` is what was written below "Unreleased" by hand. */
export function upgradePage(version: string, changes: Change[], unreleased: Release['parts']): string {
  const steps = changes
    .filter(({ upgrade }) => upgrade !== null)
    .map(({ text, upgrade }) => `${entry(upgrade!)}\n  ${wrappedText(`Why: ${text}`, '  ')}`);
  const earlier_steps = (unreleased['Upgrade notes'] ?? []).map((text) => entry(oneLine(text)));
  const parts = headings
    .filter((heading) => heading !== 'Upgrade notes')
    .map((heading) => ({ heading, entries: entriesOf(heading, changes, unreleased) }))
    .filter(({ entries }) => entries.length > 0)
    .map(({ heading, entries }) => `## ${heading}\n\n${entries.join('\n')}`);
  return `${[
    `# Upgrade to ${version}`,
    wrappedText(
      `[CHANGELOG.md](../../CHANGELOG.md) says what matters most. This page has every step of the upgrade, then every change.`,
    ),
    '## What to do',
    [...earlier_steps, ...steps].join('\n') || 'Nothing.',
    ...parts,
  ].join('\n\n')}\n`;
}

/** Changes with a step are above already. */
const entriesOf = (heading: Heading, changes: Change[], unreleased: Release['parts']): string[] => [
  ...(unreleased[heading] ?? []).map((text) => entry(oneLine(text))),
  ...changes
    .filter(({ kind, upgrade }) => heading_of[kind] === heading && upgrade === null)
    .map(({ text }) => entry(text)),
];
