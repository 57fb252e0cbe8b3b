// Names, literals and docstrings in the syntax of Python.

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

export const generated_note = '# Made by `npm run generate`; edits are lost.\n';

export const snake = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();

export const pascal = (name: string): string =>
  name.replaceAll(/(^|[-_.])(\w)/g, (_, __, letter: string) => letter.toUpperCase());

export const isKeyword = (name: string): boolean => keywords.has(name);

/** The name of a parameter: a keyword of Python gets an underscore, as PEP 8 recommends. */
export const parameterName = (name: string): string => (isKeyword(name) ? `${name}_` : name);

export function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

const max_columns = 100;

/** Breaks a text into lines that fit, without breaking words. */
export function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll(/\s+/g, ' ').trim().split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > max_columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");

/** A docstring of one or more paragraphs; each further line is indented like the first. */
export function docstring(paragraphs: readonly string[], indent: string): string {
  const lines = paragraphs.flatMap((text, index) => [
    ...(index > 0 ? [''] : []),
    ...(text.startsWith('Args:') ? text.split('\n') : wrapped(text, indent)),
  ]);
  const body = lines.map((line, index) => (line === '' || index === 0 ? line : indent + line)).join('\n');
  const end = lines.length > 1 ? `\n${indent}` : body.endsWith('"') ? ' ' : '';
  return `${indent}"""${escaped(body)}${end}"""\n`;
}
