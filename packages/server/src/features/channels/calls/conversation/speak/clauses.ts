// Splits a stream of text into clauses that can be spoken while the model still writes the rest.

const shortest_first = 12;
const shortest_later = 60;
const longest = 220;
const abbreviation = /\b(mr|mrs|ms|dr|prof|st|no|vs|etc|e\.g|i\.e|a\.m|p\.m)\.$/i;

export function clauseSplitter() {
  let rest = '';
  let is_first = true;

  /** Where the next clause ends, or -1. The first clause may be short, because the other party waits for it. */
  const nextEnd = (): number => {
    for (const { index } of rest.matchAll(/[.!?…;:,—](?=\s)|\n/g)) {
      const clause = rest.slice(0, index + 1);
      const length = clause.trim().length;
      const is_sentence = /[.!?…\n]$/.test(clause) && !abbreviation.test(clause);
      if (length > 0 && (is_sentence || length >= (is_first ? shortest_first : shortest_later)))
        return index + 1;
    }
    if (rest.length <= longest) return -1;
    const space = rest.lastIndexOf(' ', longest);
    return space > 0 ? space : longest;
  };

  const cut = (end: number): string => {
    const clause = rest.slice(0, end);
    rest = rest.slice(end);
    is_first = false;
    return clause;
  };

  return {
    push(text: string): string[] {
      rest += text;
      const ready: string[] = [];
      for (let end = nextEnd(); end > 0; end = nextEnd()) ready.push(cut(end));
      return ready.map(speakable).filter((clause) => clause !== '');
    },
    flush(): string[] {
      const last = speakable(cut(rest.length));
      return last === '' ? [] : [last];
    },
  };
}

/** Removes Markdown and emoji, which speech synthesis would read aloud. */
export function speakable(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(?:[-*•]|\d+\.)\s+/gm, '')
    .replaceAll(/[*_`#~|<>]/g, '')
    .replaceAll(/\p{Extended_Pictographic}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
