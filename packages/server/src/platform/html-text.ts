// The words of an HTML page as plain text, in one pass, whatever the page is made of.
import { type Attributes, walkHtml } from './html-walk.ts';

export type HtmlTextOptions = {
  max_chars: number;
  /** Whether the address of a link follows its words. */
  links?: boolean;
  /** Elements to leave out with all they hold. */
  leaveOut?: (name: string, attributes: Attributes) => boolean;
};

const lines = new Set('div li tr section article header footer dd dt hr'.split(' '));
/** With an empty line before and after them. */
const paragraphs = new Set('p h1 h2 h3 h4 h5 h6 table ul ol dl pre blockquote'.split(' '));
/** Their content is no text. */
const hidden = new Set(['script', 'style', 'title', 'template', 'noscript', 'textarea', 'select']);
const quote_marks = 5;

export function htmlToText(given: string, options: HtmlTextOptions): string {
  let out = '';
  // What stands between the last word and the next one.
  let breaks = 0;
  let space = false;
  let quotes = 0;
  let preformatted = 0;
  /** The line break right after <pre> is no part of its text. */
  let pre_begins = false;
  let link: { href: string; words: string } | null = null;
  // While something is left out: which element, and how many of its kind are open.
  let left_out: { name: string; open: number } | null = null;

  const lineStart = () => '> '.repeat(Math.min(quotes, quote_marks));
  const write = (words: string) => {
    if (out === '') out = lineStart();
    else if (breaks > 0) out += `${'\n'.repeat(breaks)}${lineStart()}`;
    else if (space) out += ' ';
    // Kept apart: looking into what is written so far would copy all of it, for every link.
    if (link) link.words += (space && link.words !== '' ? ' ' : '') + words;
    breaks = 0;
    space = false;
    out += words;
  };
  const breakLine = (name: string) => {
    if (name === 'br') breaks = Math.min(breaks + 1, 2);
    else if (paragraphs.has(name)) breaks = 2;
    else if (lines.has(name)) breaks = Math.max(breaks, 1);
    else if (name === 'td' || name === 'th') space = true;
  };
  const endLink = () => {
    if (!link) return;
    const { href, words } = link;
    link = null;
    if (isAddress(href) && bare(words) !== bare(href)) {
      space = true;
      write(`[${href}]`);
    }
  };

  walkHtml(given.slice(0, options.max_chars), {
    open(name, attributes) {
      if (left_out) {
        if (name === left_out.name) left_out.open++;
        return;
      }
      breakLine(name);
      if (hidden.has(name) || options.leaveOut?.(name, attributes)) {
        left_out = { name, open: 1 };
        return;
      }
      if (name === 'blockquote') quotes++;
      if (name === 'pre') {
        preformatted++;
        pre_begins = true;
      }
      if (name === 'li') {
        write('*');
        space = true;
      }
      if (name === 'a' && options.links) {
        endLink();
        link = { href: attributes.href?.trim() ?? '', words: '' };
      }
    },
    text(text) {
      if (left_out || text === '') return;
      if (preformatted > 0) {
        const shown = pre_begins ? text.replace(/^\r?\n/, '') : text;
        pre_begins = false;
        write(shown.replaceAll(/\r\n?|\n/g, `\n${lineStart()}`));
        return;
      }
      const words = text.replaceAll(/\s+/g, ' ');
      if (words.startsWith(' ')) space = true;
      const trimmed = words.trim();
      if (trimmed === '') return;
      write(trimmed);
      space = words.endsWith(' ');
    },
    close(name) {
      if (left_out) {
        if (name === left_out.name && --left_out.open === 0) left_out = null;
        return;
      }
      if (name === 'a') endLink();
      if (name === 'blockquote') quotes--;
      if (name === 'pre') preformatted--;
      if (name !== 'br') breakLine(name);
    },
  });
  return out.trim();
}

const isAddress = (href: string) => /^(?:https?:\/\/|mailto:|tel:)[^\s]/i.test(href);
/** A link often shows its own address, more or less. */
const bare = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)/, '')
    .replace(/\/$/, '');
