// Reads the code blocks of the guides and of the README.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export type Block = {
  /** The file name without its ending. */
  guide: string;
  line: number;
  language: string;
  text: string;
};

/** Data is checked but not run: settings, bodies, and requests that the service sends. */
export const data_languages = ['env', 'json', 'http'];
export const languages = ['sh', 'ts', 'python', ...data_languages];

export const documents = [...globSync('docs/guides/*.md').sort(), 'README.md'];

export function blocksOf(path: string): Block[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^```(\w*)[^\n]*\n(.*?)^```/gms)].map((match) => ({
    guide: basename(path, '.md'),
    line: text.slice(0, match.index).split('\n').length,
    language: match[1]!,
    text: match[2]!,
  }));
}

export const blocks: Block[] = documents.flatMap(blocksOf);
export const firstLine = ({ text }: Block) => text.split('\n')[0]!;
