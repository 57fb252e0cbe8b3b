// Rewrites the links of an HTML body and adds the pixel that reports an open; every other byte stays the same.
import { ApiError } from '../../../../platform/http/api-error.ts';
import { walkHtml } from '../../../../protocols/html/walk.ts';

type Edit = { from: number; to: number; text: string };

/** Only links to web pages are rewritten, not mailto, tel, anchors or templates. */
const isPage = (href: string) =>
  /^\s*https?:\/\/[^\s]/i.test(href) && URL.canParse(href) && !/\{\{|\$\{|<%|%%/.test(href);
const isUnsubscribe = (text: string) =>
  /unsubscribe|opt[ -]?out|abmelde|abbestell|d[eé]sinscri|d[eé]sabonn|darse de baja|cancelar (la )?suscripci|disiscri|отписа|退订|配信停止/i.test(
    text,
  );
/** Signing costs time, so a body with more links keeps the rest unchanged. */
const max_links = 1000;
/** How much of a link's text is searched for the word "unsubscribe". */
const link_text_chars = 200;
const raw_text = new Set(['script', 'style', 'textarea', 'title']);

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** A link to a web page: the position of its `href` value, quotes included. */
export type PageLink = { from: number; to: number; target: string };
export type PageLinks = {
  links: PageLink[];
  /** The position of `</body>`; null without one. */
  body_end: number | null;
  /** False if elements nest too deeply: nothing behind that place was read. */
  is_complete: boolean;
};

/** Takes as long as the page is long: only a thread may call it. */
export function readLinks(html: string): PageLinks {
  const links: PageLink[] = [];
  let body_end: number | null = null;
  let depth_raw = 0;
  /** The link being read. Its text decides whether it is rewritten, so it waits for the closing tag. */
  let open_link: { link: PageLink; text: string } | null = null;
  const addLinkText = (text: string | undefined) => {
    if (open_link && text && open_link.text.length < link_text_chars)
      open_link.text += text.slice(0, link_text_chars);
  };
  const endLink = () => {
    if (open_link && !isUnsubscribe(open_link.text)) links.push(open_link.link);
    open_link = null;
  };

  const is_complete = walkHtml(html, {
    open(name, attributes, from, to) {
      if (raw_text.has(name)) depth_raw++;
      addLinkText(attributes.alt);
      if ((name !== 'a' && name !== 'area') || depth_raw > 0) return;
      endLink();
      if (links.length >= max_links || 'data-no-track' in attributes) return;
      const href = attributes.href;
      if (href === undefined || !isPage(href) || isUnsubscribe(href)) return;
      const place = hrefPosition(html, from, to);
      if (!place) return;
      const text = `${attributes.title ?? ''} ${attributes.alt ?? ''} `;
      open_link = { link: { ...place, target: href.trim() }, text };
    },
    text: addLinkText,
    close(name, implied, from) {
      if (raw_text.has(name)) depth_raw--;
      if (name === 'a' || name === 'area') endLink();
      if (name === 'body' && !implied) body_end = from;
    },
  });
  return { links, body_end, is_complete };
}

export function trackedHtml(
  html: string,
  { links, body_end, is_complete }: PageLinks,
  { linkTo, pixel_url }: { linkTo: ((target: string) => string) | null; pixel_url: string | null },
): string {
  if (!is_complete) throw new ApiError('html_too_deep', { path: 'body.body_html' });
  const edits: Edit[] = linkTo
    ? links.map(({ from, to, target }) => ({ from, to, text: `"${escapeAttribute(linkTo(target))}"` }))
    : [];
  if (pixel_url) {
    const at = body_end ?? html.length;
    edits.push({
      from: at,
      to: at,
      text: `<img src="${escapeAttribute(pixel_url)}" width="1" height="1" alt="" style="display:none">`,
    });
  }
  let out = '';
  let position = 0;
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    out += html.slice(position, edit.from) + edit.text;
    position = edit.to;
  }
  return out + html.slice(position);
}

/** The position of the first href value of a tag, quotes included. Browsers use the first one too. */
function hrefPosition(html: string, tag_start: number, tag_end: number): { from: number; to: number } | null {
  const tag = html.slice(tag_start, tag_end + 1);
  // Attribute by attribute (the grammar of HTML section 13.1.2.3), so that "href=" inside another value is skipped.
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
