// Guard: lines of Markdown are short, so that a change shows which sentence it touches.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { line_width } from '../../scripts/wrapped-text.ts';
import { projectFiles } from './source-files.ts';

/**
 * Change files are written by a command and deleted by the next release; released sections of the changelog stay as they
 * are; a template of GitHub has settings with one line each.
 */
const excepted = /^(\.changes\/(?!README)|CHANGELOG\.md$|\.github\/ISSUE_TEMPLATE\/)/;
/** A row of a table cannot be broken, and a single word (an address, a link) neither. */
const cannotBreak = (line: string) =>
  /^\s*\|/.test(line) || !/\S \S/.test(line.replace(/^\s*([-*>]|\d+\.) /, ''));
/** Code is run and copied as it stands. The line breaks stay, for the numbers of lines. */
const textOf = (path: string) =>
  readFileSync(path, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ''));

test('lines of Markdown have at most 120 characters, except in code, tables and links', () => {
  const long = projectFiles()
    .filter((path) => path.endsWith('.md') && !excepted.test(path))
    .flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, index) =>
          line.length > line_width && !cannotBreak(line) ? [`${path}:${index + 1}`] : [],
        ),
    );
  assert.deepEqual(long, []);
});
