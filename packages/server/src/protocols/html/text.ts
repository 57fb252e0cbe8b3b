// Converts an HTML page to plain text in one pass: the visible text, line by line, without markup.
import { visibilityOf } from './visibility.ts';
import { type Attributes, walkHtml } from './walk.ts';

/** One line of text. `mark` is the name that the caller's `markOf` gave to the enclosing part of the page. */
export type HtmlLine = { text: string; quotes: number; mark: string | null };

export type HtmlReadOptions = {
  max_chars: number;
  /** Whether the URL of a link is added after its text. */
  links?: boolean;
  /** Returns the mark for an element and its content; `around` is the mark of the parent. */
  markOf?: (name: string, attributes: Attributes, around: string | null) => string | null;
};

const lines = new Set('div li tr section article header footer dd dt hr'.split(' '));
/** Elements with an empty line before and after them. */
const paragraphs = new Set('p h1 h2 h3 h4 h5 h6 table ul ol dl pre blockquote'.split(' '));
const max_quote_marks = 5;

export function htmlToText(source: string, options: HtmlReadOptions): string {
  return htmlLines(source, options)
    .map(({ text, quotes }) => `${'> '.repeat(Math.min(quotes, max_quote_marks))}${text}`)
    .join('\n')
    .trim();
}

export function htmlLines(source: string, options: HtmlReadOptions): HtmlLine[] {
  const html = shortened(source, options.max_chars);
  const visibility = visibilityOf(source.slice(0, 4 * options.max_chars));
  const page = pageWriter();
  const marks: (string | null)[] = [null];
  let quotes = 0;
  let preformatted = 0;
  /** The line break right after <pre> is not part of its text. */
  let pre_begins = false;
  let link: { href: string; text: string } | null = null;

  const write = (text: string) => {
    // The link text is collected separately: reading it back from the page would copy the whole page for every link.
    if (link) link.text += (page.space && link.text !== '' ? ' ' : '') + text;
    page.write(text, quotes, marks.at(-1)!);
  };
  const endLink = () => {
    if (!link) return;
    const { href, text } = link;
    link = null;
    if (isExternal(href) && withoutScheme(text) !== withoutScheme(href)) {
      page.space = true;
      write(`[${href}]`);
    }
  };

  walkHtml(html, {
    open(name, attributes) {
      visibility.open(name, attributes);
      if (!visibility.isHidden()) page.breakLine(name);
      const around = marks.at(-1)!;
      const mark = options.markOf ? options.markOf(name, attributes, around) : null;
      if (mark !== around) page.breakLine('div');
      marks.push(mark);
      if (name === 'blockquote') quotes++;
      if (name === 'pre') {
        preformatted++;
        pre_begins = true;
      }
      if (name === 'li' && visibility.isShown()) {
        write('*');
        page.space = true;
      }
      if (name === 'a' && options.links) {
        endLink();
        link = { href: attributes.href?.trim() ?? '', text: '' };
      }
    },
    text(text) {
      if (text === '' || !visibility.isShown()) return;
      if (preformatted > 0) {
        const visible_text = pre_begins ? text.replace(/^\r?\n/, '') : text;
        pre_begins = false;
        visible_text.split(/\r\n?|\n/).forEach((line, index) => {
          if (index > 0) page.newLine(quotes, marks.at(-1)!);
          if (line !== '') write(line);
        });
        return;
      }
      const collapsed = text.replaceAll(/\s+/g, ' ');
      if (collapsed.startsWith(' ')) page.space = true;
      const trimmed = collapsed.trim();
      if (trimmed === '') return;
      write(trimmed);
      page.space = collapsed.endsWith(' ');
    },
    close(name) {
      const is_hidden = visibility.isHidden();
      visibility.close();
      const mark = marks.length > 1 ? marks.pop()! : null;
      if (mark !== marks.at(-1)) page.breakLine('div');
      if (name === 'a') endLink();
      if (name === 'blockquote') quotes--;
      if (name === 'pre') preformatted--;
      if (name !== 'br' && !is_hidden) page.breakLine(name);
    },
  });
  return page.lines;
}

/** Collects text into lines. The separator (space, line break or empty line) is written only when more text follows. */
function pageWriter() {
  const written: HtmlLine[] = [];
  let current: HtmlLine | null = null;
  let breaks = 0;
  return {
    lines: written,
    space: false,
    breakLine(name: string): void {
      if (name === 'br') breaks = Math.min(breaks + 1, 2);
      else if (paragraphs.has(name)) breaks = 2;
      else if (lines.has(name)) breaks = Math.max(breaks, 1);
      else if (name === 'td' || name === 'th') this.space = true;
    },
    /** For preformatted text, where empty lines count too. */
    newLine(quotes: number, mark: string | null): void {
      if (!current) return;
      current = { text: '', quotes, mark };
      written.push(current);
      breaks = 0;
      this.space = false;
    },
    write(text: string, quotes: number, mark: string | null): void {
      if (current && breaks === 0) {
        current.text += this.space && current.text !== '' ? ` ${text}` : text;
      } else {
        if (current && breaks > 1) written.push({ text: '', quotes: 0, mark: null });
        current = { text, quotes, mark };
        written.push(current);
      }
      breaks = 0;
      this.space = false;
    },
  };
}

/** Cuts a long page to `max_chars`, after removing inline images, comments and style sheets, which can be longer than the text. */
function shortened(html: string, max_chars: number): string {
  if (html.length <= max_chars) return html;
  const without_images = html.replaceAll(/"data:[^"]{1000,}"/g, '""');
  let out = '';
  let at = 0;
  const opening = /<!--|<style(?=[\s>])/gi;
  for (;;) {
    const match = opening.exec(without_images);
    if (!match || out.length >= max_chars) break;
    out += without_images.slice(at, match.index);
    const end = match[0] === '<!--' ? '-->' : '</style>';
    const close = without_images.indexOf(end, match.index);
    if (close < 0) return out.slice(0, max_chars);
    at = close + end.length;
    opening.lastIndex = at;
  }
  return (out + without_images.slice(at)).slice(0, max_chars);
}

const isExternal = (href: string) => /^(?:https?:\/\/|mailto:|tel:)[^\s]/i.test(href);
/** For comparing a link's text with its URL: the text often is the URL, without the scheme or the last slash. */
const withoutScheme = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)/, '')
    .replace(/\/$/, '');
