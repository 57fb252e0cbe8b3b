// The words of an HTML mail as a person would see them: no markup, no scripts, nothing that was made invisible.

const hiding_style =
  /(display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d]*[1-9])|font-size\s*:\s*0(?![.\d]*[1-9])|max-height\s*:\s*0(?![.\d]*[1-9]))/i;
const silent = new Set([
  'script',
  'style',
  'head',
  'title',
  'template',
  'noscript',
  'svg',
  'object',
  'iframe',
]);
const empty = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr', 'source', 'area', 'base', 'col']);
const lines = new Set([
  'br',
  'p',
  'div',
  'tr',
  'li',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'table',
  'blockquote',
]);
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

type Token = { text: string } | { name: string; closes: boolean; attributes: string };

/** One pass from left to right, so that no input takes longer than its length. What never closes is left out. */
function* tokensOf(html: string): Generator<Token> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open !== at) yield { text: html.slice(at, open < 0 ? undefined : open) };
    if (open < 0) return;
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4);
      if (end < 0) return;
      at = end + 3;
    } else if (/^[/!?a-zA-Z]/.test(html.charAt(open + 1))) {
      const end = tagEnd(html, open + 1);
      if (end < 0) return;
      const [, slash, name, attributes] = /^(\/?)([^\s/>]*)([\s\S]*)$/.exec(html.slice(open + 1, end))!;
      yield { name: name!.toLowerCase(), closes: slash === '/', attributes: attributes! };
      at = end + 1;
    } else {
      yield { text: '<' };
      at = open + 1;
    }
  }
}

/** A > inside quotes does not end a tag. */
function tagEnd(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const char = html[at];
    if (char === '>') return at;
    if (char === '"' || char === "'") {
      const close = html.indexOf(char, at + 1);
      if (close < 0) return -1;
      at = close;
    }
  }
  return -1;
}

const decode = (text: string) =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name) return entities[name.toLowerCase()] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '';
  });

const isHiding = (name: string, attributes: string) =>
  silent.has(name) || /\shidden(?=[\s=/]|$)/i.test(attributes) || hiding_style.test(decode(attributes));

export function textOfHtml(html: string): string {
  let text = '';
  /** Names of the open elements since the first hidden one; empty while words are visible. */
  const hidden: string[] = [];
  for (const part of tokensOf(html)) {
    if ('text' in part) {
      if (hidden.length === 0) text += decode(part.text.replaceAll(/\s+/g, ' '));
      continue;
    }
    const { name, closes, attributes } = part;
    if (hidden.length > 0) {
      const at = closes ? hidden.lastIndexOf(name) : -1;
      if (at >= 0) hidden.length = at;
      else if (!closes && !empty.has(name) && !attributes.endsWith('/')) hidden.push(name);
    } else if (!closes && !empty.has(name) && isHiding(name, attributes)) {
      hidden.push(name);
    } else if (lines.has(name)) {
      text += '\n';
    }
  }
  return text
    .replaceAll(/[\u200b-\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu, '')
    .replaceAll(/[ \t]*\n[ \t]*/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
