// The SQL templates of a source file, for guards that read SQL.

/** The SQL templates of a source file. A nested template is part of the text around it. */
export function sqlTexts(source: string): string[] {
  const texts: string[] = [];
  for (const { index } of source.matchAll(/\bsql`/g)) texts.push(templateFrom(source, index + 4));
  return texts;
}

/** The text of a template literal from its first character to its closing backtick. */
function templateFrom(source: string, start: number): string {
  let at = start;
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') at += 2;
    else if (source.startsWith('${', at)) at = endOfExpression(source, at + 2);
    else at++;
  }
  return source.slice(start, at);
}

function endOfExpression(source: string, start: number): number {
  let depth = 1;
  let at = start;
  while (at < source.length && depth > 0) {
    const character = source[at]!;
    if (character === '`') at += templateFrom(source, at + 1).length + 1;
    else if (character === '{') depth++;
    else if (character === '}') depth--;
    at++;
  }
  return at;
}
