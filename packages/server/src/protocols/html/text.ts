// The words of an HTML page as plain text, in one pass: what a person can see, line by line, without markup.
import { visibilityOf } from './visibility.ts';
import { type Attributes, walkHtml } from './walk.ts';

/** What the caller made of an element: every line inside it carries this name. */
export type HtmlLine = { text: string; quotes: number; mark: string | null };

export type HtmlReadOptions = {
  max_chars: number;
  /** Whether the address of a link follows its words. */
  links?: boolean;
  /** Names the part of the page that an element begins, given the part around it. */
  markOf?: (name: string, attributes: Attributes, around: string | null) => string | null;
};

const lines = new Set('div li tr section article header footer dd dt hr'.split(' '));
/** With an empty line before and after them. */
const paragraphs = new Set('p h1 h2 h3 h4 h5 h6 table ul ol dl pre blockquote'.split(' '));
const quote_marks = 5;

export function htmlToText(given: string, options: HtmlReadOptions): string {
  return htmlLines(given, options)
    .map(({ text, quotes }) => `${'> '.repeat(Math.min(quotes, quote_marks))}${text}`)
    .join('\n')
    .trim();
}

export function htmlLines(given: string, options: HtmlReadOptions): HtmlLine[] {
  const html = shortened(given, options.max_chars);
  const visibility = visibilityOf(given.slice(0, 4 * options.max_chars));
  const page = pageWriter();
  const marks: (string | null)[] = [null];
  let quotes = 0;
  let preformatted = 0;
  /** The line break right after <pre> is no part of its text. */
  let pre_begins = false;
  let link: { href: string; words: string } | null = null;

  const write = (words: string) => {
    // Kept apart: looking into what is written so far would copy all of it, for every link.
    if (link) link.words += (page.space && link.words !== '' ? ' ' : '') + words;
    page.write(words, quotes, marks.at(-1)!);
  };
  const endLink = () => {
    if (!link) return;
    const { href, words } = link;
    link = null;
    if (isAddress(href) && bare(words) !== bare(href)) {
      page.space = true;
      write(`[${href}]`);
    }
  };

  walkHtml(html, {
    open(name, attributes) {
      visibility.open(name, attributes);
      if (!visibility.isGone()) page.breakLine(name);
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
        link = { href: attributes.href?.trim() ?? '', words: '' };
      }
    },
    text(text) {
      if (text === '' || !visibility.isShown()) return;
      if (preformatted > 0) {
        const shown = pre_begins ? text.replace(/^\r?\n/, '') : text;
        pre_begins = false;
        shown.split(/\r\n?|\n/).forEach((line, index) => {
          if (index > 0) page.newLine(quotes, marks.at(-1)!);
          if (line !== '') write(line);
        });
        return;
      }
      const words = text.replaceAll(/\s+/g, ' ');
      if (words.startsWith(' ')) page.space = true;
      const trimmed = words.trim();
      if (trimmed === '') return;
      write(trimmed);
      page.space = words.endsWith(' ');
    },
    close(name) {
      const is_gone = visibility.isGone();
      visibility.close();
      const mark = marks.length > 1 ? marks.pop()! : null;
      if (mark !== marks.at(-1)) page.breakLine('div');
      if (name === 'a') endLink();
      if (name === 'blockquote') quotes--;
      if (name === 'pre') preformatted--;
      if (name !== 'br' && !is_gone) page.breakLine(name);
    },
  });
  return page.lines;
}

/** Collects words into lines; what stands between two words is decided when the second one comes. */
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
    /** Of preformatted text: every line counts, also an empty one. */
    newLine(quotes: number, mark: string | null): void {
      if (!current) return;
      current = { text: '', quotes, mark };
      written.push(current);
      breaks = 0;
      this.space = false;
    },
    write(words: string, quotes: number, mark: string | null): void {
      if (current && breaks === 0) {
        current.text += this.space && current.text !== '' ? ` ${words}` : words;
      } else {
        if (current && breaks > 1) written.push({ text: '', quotes: 0, mark: null });
        current = { text: words, quotes, mark };
        written.push(current);
      }
      breaks = 0;
      this.space = false;
    },
  };
}

/** Of a long page, pictures written into it, comments and style sheets go first: they can be longer than its words. */
function shortened(html: string, max_chars: number): string {
  if (html.length <= max_chars) return html;
  const words = html.replaceAll(/"data:[^"]{1000,}"/g, '""');
  let out = '';
  let at = 0;
  const opening = /<!--|<style(?=[\s>])/gi;
  for (let match = opening.exec(words); match && out.length < max_chars; match = opening.exec(words)) {
    out += words.slice(at, match.index);
    const end = match[0] === '<!--' ? '-->' : '</style>';
    const close = words.indexOf(end, match.index);
    if (close < 0) return out.slice(0, max_chars);
    at = close + end.length;
    opening.lastIndex = at;
  }
  return (out + words.slice(at)).slice(0, max_chars);
}

const isAddress = (href: string) => /^(?:https?:\/\/|mailto:|tel:)[^\s]/i.test(href);
/** A link often shows its own address, more or less. */
const bare = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)/, '')
    .replace(/\/$/, '');
