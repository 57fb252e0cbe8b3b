// Parses the CSS that decides whether text of an HTML mail is visible: a few properties, in rules with simple selectors.

/** The properties that `visibility.ts` asks for. Others are not kept, so that a style has a bounded size. */
const properties = [
  ...['display', 'visibility', 'opacity', 'mso-hide', 'color', 'background', 'background-color'],
  ...[
    'font',
    'font-size',
    'overflow',
    'overflow-x',
    'overflow-y',
    'text-indent',
    'margin-left',
    'margin-top',
  ],
  ...['width', 'height', 'max-width', 'max-height', 'position', 'left', 'top', 'right', 'bottom'],
  ...['clip', 'clip-path', 'transform'],
] as const;
export type Property = (typeof properties)[number];
const is_read: ReadonlySet<string> = new Set(properties);

/** Values by property, in lower case and without `!important`. */
export type Declarations = Map<Property, { value: string; is_important: boolean }>;

const max_declarations = 100;
const max_declarations_of_page = 20_000;
const max_rules = 2000;
const max_css_chars = 100_000;
const max_selectors = 50;
/** No value that hides text is longer. */
const max_value_chars = 200;

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
  const declarations: Declarations = new Map();
  const parts = unescapeCss(withoutComments(css.slice(0, max_css_chars))).split(';', max_declarations);
  for (const part of parts) {
    const colon = part.indexOf(':');
    if (colon < 0) continue;
    const name = part.slice(0, colon).trim().toLowerCase();
    if (!isRead(name)) continue;
    const raw = part
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const is_important = raw.endsWith('important') && /!\s*$/.test(raw.slice(-max_value_chars, -9));
    const value = (is_important ? raw.slice(0, raw.lastIndexOf('!')).trim() : raw).slice(0, max_value_chars);
    add(declarations, name, { value, is_important });
  }
  return declarations;
}

const isRead = (name: string): name is Property => is_read.has(name);

/** A later declaration wins, unless only the earlier one is important. */
function add(to: Declarations, name: Property, declaration: { value: string; is_important: boolean }): void {
  if (to.get(name)?.is_important && !declaration.is_important) return;
  to.set(name, declaration);
}

export function addAll(to: Declarations, later: Declarations): void {
  for (const [name, declaration] of later) add(to, name, declaration);
}

/** Declarations by selector: `p`, `.note`, `p.note` or `#top`. Other selectors are ignored: they need the whole document tree. */
export type StyleSheet = Map<string, Declarations>;

const simple_selector = /^(?:[a-z][a-z\d]*)?(?:[.#][\p{L}\p{N}_-]+)?$/iu;
/** Rules for other media (narrow screens, print) are ignored. */
const plain_media = /^@media\s+(?:only\s+)?(?:all|screen)\s*$/i;

export function readStyleSheet(html: string): StyleSheet {
  const sheet: StyleSheet = new Map();
  let rules = 0;
  let position = 0;
  for (const css of styleBlocks(html)) {
    for (const { selectors, body } of rulesOf(withoutComments(css))) {
      if (++rules > max_rules) return sheet;
      const declarations = readDeclarations(body);
      if (declarations.size === 0) continue;
      for (const selector of selectors.split(',', max_selectors)) {
        const name = unescapeCss(selector.trim());
        if (name === '' || !simple_selector.test(name)) continue;
        position += declarations.size;
        if (position > max_declarations_of_page) return sheet;
        const key = name.startsWith('.') || name.startsWith('#') ? name : name.replace(/^[a-z\d]+/i, lower);
        let of_selector = sheet.get(key);
        if (!of_selector) {
          of_selector = new Map();
          sheet.set(key, of_selector);
        }
        addAll(of_selector, declarations);
      }
    }
  }
  return sheet;
}

const lower = (text: string) => text.toLowerCase();

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
