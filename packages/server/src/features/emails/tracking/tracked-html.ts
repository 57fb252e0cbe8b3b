// Rewrites the links of an HTML body and adds the picture that tells of opening; every other byte stays as it was.

import { ApiError } from '../../../platform/http/api-error.ts';
import { walkHtml } from '../../../protocols/html/walk.ts';

type Edit = { from: number; to: number; text: string };

/** Links that lead to a page; everything else (mailto, tel, anchors, templates) is left alone. */
const isPage = (href: string) =>
  /^\s*https?:\/\/[^\s]/i.test(href) && URL.canParse(href) && !/\{\{|\$\{|<%|%%/.test(href);
const isUnsubscribe = (text: string) =>
  /unsubscribe|opt[ -]?out|abmelde|abbestell|d[eé]sinscri|d[eé]sabonn|darse de baja|cancelar (la )?suscripci|disiscri|отписа|退订|配信停止/i.test(
    text,
  );
/** Each is signed: of a page made of links the first ones are followed, the others lead where they say. */
const max_links = 1000;
/** As much of a link's words as can tell what it is for. */
const link_words = 200;
const raw_text = new Set(['script', 'style', 'textarea', 'title']);

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

export function trackedHtml(
  html: string,
  options: { linkTo: ((target: string) => string) | null; picture: string | null },
): string {
  const edits: Edit[] = [];
  let body_end: number | null = null;
  let depth_raw = 0;
  /** The link being read: what it is for is known when its words are. */
  let link: { edit: Edit; words: string } | null = null;
  const readWords = (text: string | undefined) => {
    if (link && text && link.words.length < link_words) link.words += text.slice(0, link_words);
  };
  const endLink = () => {
    if (link && !isUnsubscribe(link.words)) edits.push(link.edit);
    link = null;
  };

  const whole = walkHtml(html, {
    open(name, attributes, from, to) {
      if (raw_text.has(name)) depth_raw++;
      readWords(attributes.alt);
      if (!options.linkTo || (name !== 'a' && name !== 'area') || depth_raw > 0) return;
      endLink();
      const href = attributes.href;
      if (href === undefined || !isPage(href) || isUnsubscribe(href)) return;
      if ('data-no-track' in attributes || edits.length >= max_links) return;
      const found = hrefPlace(html, from, to);
      if (!found) return;
      const edit = { ...found, text: `"${escapeAttribute(options.linkTo(href.trim()))}"` };
      link = { edit, words: `${attributes.title ?? ''} ${attributes.alt ?? ''} ` };
    },
    text: readWords,
    close(name, implied, from) {
      if (raw_text.has(name)) depth_raw--;
      if (name === 'a' || name === 'area') endLink();
      if (name === 'body' && !implied) body_end = from;
    },
  });
  if (!whole) throw new ApiError('html_too_deep', { path: 'body.body_html' });

  if (options.picture) {
    const at = body_end ?? html.length;
    edits.push({
      from: at,
      to: at,
      text: `<img src="${escapeAttribute(options.picture)}" width="1" height="1" alt="" style="display:none">`,
    });
  }
  let out = '';
  let place = 0;
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    out += html.slice(place, edit.from) + edit.text;
    place = edit.to;
  }
  return out + html.slice(place);
}

/** The first link that tracking would follow; null without one. */
export function firstLink(html: string): string | null {
  let first: string | null = null;
  trackedHtml(html, {
    linkTo(target) {
      first ??= target;
      return target;
    },
    picture: null,
  });
  return first;
}

/** Where the value of the first href of a tag stands, quotes included; the first one counts, as in browsers. */
function hrefPlace(html: string, tag_start: number, tag_end: number): { from: number; to: number } | null {
  const tag = html.slice(tag_start, tag_end + 1);
  // Attribute by attribute (the grammar of HTML section 13.1.2.3), so that "href=" inside another value is passed over.
  const attribute = /([^\s"'<>/=]+)(?:(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>][^\s>]*))?/gy;
  attribute.lastIndex = /^<[^\s/>]*/.exec(tag)![0].length;
  while (attribute.lastIndex < tag.length) {
    const start = attribute.lastIndex;
    const match = attribute.exec(tag);
    if (!match) {
      attribute.lastIndex = start + 1;
      continue;
    }
    const [whole, name, equals, value] = match;
    if (name!.toLowerCase() === 'href') {
      if (equals === undefined || value === undefined) return null;
      const from = tag_start + match.index + whole!.length - value.length;
      return { from, to: from + value.length };
    }
  }
  return null;
}
