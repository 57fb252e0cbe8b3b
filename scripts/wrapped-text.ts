// Breaks a text of Markdown into lines, so that a change of generated pages shows which sentence it touches.

export const line_width = 120;

/** `indent` precedes every line after the first, and is left free in the first for the mark of a list entry. */
export function wrappedText(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > line_width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}
