// Change files: one file in .changes/ for every change that users notice. A release folds them into CHANGELOG.md.
//
//   fixed: Calls to a busy number end at once.
//
//   upgrade: none
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const kinds = ['security', 'added', 'changed', 'fixed', 'removed'] as const;
export type Kind = (typeof kinds)[number];
/** `upgrade` says what an operator or a client has to do; null when nothing. */
export type Change = { kind: Kind; text: string; upgrade: string | null };

export const changes_folder = '.changes';
/** A longer text belongs in a guide; the change file then links to it. */
export const text_max_length = 500;

const form = /^(?<kind>[a-z]+): (?<text>\S[\s\S]*?)\n\nupgrade: (?<upgrade>\S[\s\S]*?)\n$/;
const oneLine = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ').trim();

export class ChangeError extends Error {}

/** Throws a `ChangeError` that names the file and says what to correct. */
export function parseChange(name: string, content: string): Change {
  const fail = (problem: string): never => {
    throw new ChangeError(`${changes_folder}/${name}: ${problem}`);
  };
  if (!/^[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(name)) fail('name the file in kebab-case with the ending .md.');
  const { kind, text, upgrade } = form.exec(content.replaceAll('\r\n', '\n'))?.groups ?? {};
  if (kind === undefined || text === undefined || upgrade === undefined)
    return fail('write "<kind>: <text>", an empty line, and "upgrade: <what to do, or none>".');
  if (!(kinds as readonly string[]).includes(kind))
    fail(`the kind "${kind}" is not one of ${kinds.join(', ')}.`);
  for (const part of [text, upgrade]) {
    if (/\n\s*\n/.test(part)) fail('write one paragraph for the text and one for the upgrade note.');
    if (oneLine(part).length > text_max_length)
      fail(`a text is longer than ${text_max_length} characters; move details to a guide.`);
    if (part !== 'none' && !/[.)]$/.test(part)) fail('end each text with a period.');
  }
  return { kind: kind as Kind, text: oneLine(text), upgrade: upgrade === 'none' ? null : oneLine(upgrade) };
}

export const renderChange = ({ kind, text, upgrade }: Change): string =>
  `${kind}: ${text}\n\nupgrade: ${upgrade ?? 'none'}\n`;

/** The change files of a checkout by name. The README explains the folder and is no change. */
export function readChanges(root = '.'): Record<string, Change> {
  const folder = join(root, changes_folder);
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder).filter((name) => name !== 'README.md');
  return Object.fromEntries(
    names.sort().map((name) => [name, parseChange(name, readFileSync(join(folder, name), 'utf8'))]),
  );
}
