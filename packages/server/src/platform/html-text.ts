// The words of an HTML page as plain text. Every letter is looked at once, whatever the page is made of.

export type HtmlTextOptions = {
  max_chars: number;
  /** Elements to leave out with all they hold; `tag` is what stands between the brackets. */
  leaveOut?: (name: string, tag: string) => boolean;
};

const blocks = new Set(
  'p div br li tr table ul ol h1 h2 h3 h4 h5 h6 hr pre blockquote section article header footer dd dt'.split(
    ' ',
  ),
);
const without_end = new Set('br hr img input meta link area base col embed source track wbr'.split(' '));
/** Their content is no text. */
const hidden = new Set(['script', 'style', 'title', 'template', 'noscript']);

const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return names[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '';
  });

export function htmlToText(given: string, options: HtmlTextOptions): string {
  const html = given.slice(0, options.max_chars);
  const lower = html.toLowerCase();
  const out: string[] = [];
  // While something is left out: which element, and how many of its kind are open.
  let left_out: { name: string; depth: number } | null = null;
  const say = (text: string) => {
    if (!left_out && text !== '') out.push(decoded(text.replaceAll(/\s+/g, ' ')));
  };
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      say(html.slice(at));
      break;
    }
    say(html.slice(at, open));
    if (!/[a-z/!?]/.test(lower[open + 1] ?? '')) {
      say('<');
      at = open + 1;
      continue;
    }
    const is_comment = html.startsWith('<!--', open);
    const close = is_comment ? html.indexOf('-->', open + 4) : html.indexOf('>', open);
    if (close === -1) break;
    at = close + (is_comment ? 3 : 1);
    const tag = lower.slice(open + 1, close);
    const name = /^\/?([a-z][a-z0-9]*)/.exec(tag)?.[1] ?? '';
    const ends = tag.startsWith('/');
    if (left_out) {
      if (name === left_out.name) left_out.depth += ends ? -1 : 1;
      if (left_out.depth === 0) left_out = null;
      continue;
    }
    if (hidden.has(name) && !ends) {
      const end = lower.indexOf(`</${name}`, at);
      at = end === -1 ? html.length : end;
    } else if (!ends && !without_end.has(name) && options.leaveOut?.(name, tag)) {
      left_out = { name, depth: 1 };
    } else if (blocks.has(name)) out.push('\n');
    else if (name === 'td' || name === 'th') out.push(' ');
  }
  return out
    .join('')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
