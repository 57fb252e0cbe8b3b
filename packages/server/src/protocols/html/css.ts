// Parses the CSS that decides whether text of an HTML mail is visible: declarations, and rules with simple selectors.

/** Values by property name, in lower case and without `!important`. */
export type Declarations = Map<string, { value: string; is_important: boolean }>;

const max_declarations = 100;
const max_rules = 2000;
const max_css_chars = 100_000;

/** Resolves escapes before values are compared: `\64 isplay` is `display` to a browser. */
const unescapeCss = (css: string): string =>
  css.includes('\\')
    ? css.replaceAll(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, hex?: string, char?: string) => {
        if (hex === undefined) return char ?? '';
        const point = Number.parseInt(hex, 16);
        return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '';
      })
    : css;

function withoutComments(css: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const open = css.indexOf('/*', at);
    if (open < 0) return out + css.slice(at);
    out += css.slice(at, open);
    const close = css.indexOf('*/', open + 2);
    if (close < 0) return out;
    at = close + 2;
  }
}

export function readDeclarations(css: string): Declarations {
  const found: Declarations = new Map();
  const parts = unescapeCss(withoutComments(css.slice(0, max_css_chars))).split(';', max_declarations);
  for (const part of parts) {
    const colon = part.indexOf(':');
    if (colon < 0) continue;
    const name = part.slice(0, colon).trim().toLowerCase();
    const raw = part
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const is_important = raw.endsWith('important') && /!\s*important$/.test(raw);
    const value = is_important ? raw.slice(0, raw.lastIndexOf('!')).trim() : raw;
    if (found.get(name)?.is_important && !is_important) continue;
    found.set(name, { value, is_important });
  }
  return found;
}

/** Declarations by selector: `p`, `.note`, `p.note` or `#top`. Other selectors are ignored: they need the whole document tree. */
export type StyleSheet = Map<string, Declarations>;

const simple_selector = /^(?:[a-z][a-z\d]*)?(?:[.#][\p{L}\p{N}_-]+)?$/iu;
/** Rules for other media (narrow screens, print) are ignored. */
const plain_media = /^@media\s+(?:only\s+)?(?:all|screen)\s*$/i;

export function readStyleSheet(html: string): StyleSheet {
  const sheet: StyleSheet = new Map();
  let rules = 0;
  for (const css of styleBlocks(html)) {
    for (const { selectors, body } of rulesOf(withoutComments(css))) {
      if (++rules > max_rules) return sheet;
      const declarations = readDeclarations(body);
      for (const selector of selectors.split(',', 50)) {
        const name = unescapeCss(selector.trim());
        if (name === '' || !simple_selector.test(name)) continue;
        const key = name.startsWith('.') || name.startsWith('#') ? name : name.replace(/^[a-z\d]+/i, lower);
        sheet.set(key, merged(sheet.get(key), declarations));
      }
    }
  }
  return sheet;
}

const lower = (text: string) => text.toLowerCase();

/** A later declaration wins, unless only the earlier one is important. */
export function merged(earlier: Declarations | undefined, later: Declarations): Declarations {
  if (!earlier) return later;
  const all: Declarations = new Map(earlier);
  for (const [name, declaration] of later) {
    if (all.get(name)?.is_important && !declaration.is_important) continue;
    all.set(name, declaration);
  }
  return all;
}

/** Skips comments: style sheets inside them apply to one mail program only (`<!--[if mso]>`). */
function* styleBlocks(html: string): Generator<string> {
  const opening = /<!--|<style(?=[\s>])/gi;
  let remaining_chars = max_css_chars;
  for (let match = opening.exec(html); match && remaining_chars > 0; match = opening.exec(html)) {
    const is_comment = match[0] === '<!--';
    const from = is_comment ? match.index : html.indexOf('>', match.index) + 1;
    if (from === 0) return;
    const end = is_comment ? html.indexOf('-->', from) : indexOfStyleEnd(html, from);
    if (!is_comment) {
      const css = html.slice(from, end < 0 ? undefined : end).slice(0, remaining_chars);
      remaining_chars -= css.length;
      yield css.replaceAll(/<!--|-->/g, ' ');
    }
    if (end < 0) return;
    opening.lastIndex = end;
  }
}

function indexOfStyleEnd(html: string, from: number): number {
  const closing = /<\/style/gi;
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? -1;
}

/** Rules at the top level and in plain media blocks. Other at-rules are skipped with their content. */
function* rulesOf(css: string): Generator<{ selectors: string; body: string }> {
  let at = 0;
  while (at < css.length) {
    const open = css.indexOf('{', at);
    if (open < 0) return;
    const before = css.slice(at, open);
    // `@import "a";` ends without a block.
    const selectors = before.slice(before.lastIndexOf(';') + 1).replace(/^[\s}]+/, '');
    if (selectors.startsWith('@') && plain_media.test(selectors.trim())) {
      at = open + 1;
      continue;
    }
    const end = selectors.startsWith('@') ? blockEnd(css, open) : css.indexOf('}', open);
    if (end < 0) return;
    if (!selectors.startsWith('@')) yield { selectors, body: css.slice(open + 1, end) };
    at = end + 1;
  }
}

function blockEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at++) {
    if (css[at] === '{') depth++;
    else if (css[at] === '}' && --depth === 0) return at;
  }
  return -1;
}
