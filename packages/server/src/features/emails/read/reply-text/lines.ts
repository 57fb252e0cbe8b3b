// The lines of a message body as reply extraction reads them, from plain text and from HTML.
import { htmlLines } from '../../../../protocols/html/text.ts';
import type { Attributes } from '../../../../protocols/html/walk.ts';

/**
 * What the markup of a mail program says of a line:
 * `quote` it is quoted; `bare` in a quotation element that nothing else tells of; `indent` set in like a quotation, perhaps
 * by the sender; `attribution` introduces a quotation;
 * `cite` stands in the box of an introduction, where people also write; `original` from here on everything is quoted;
 * `signature` the signature that the program added.
 */
export type Mark = 'quote' | 'bare' | 'indent' | 'attribution' | 'cite' | 'original' | 'signature';

export type Line = { text: string; is_quoted: boolean; mark: Mark | null };

/** Longer bodies are read up to here, because extraction runs while the record is read. Gmail shows as much of a page. */
export const max_chars = 100_000;
const max_lines = 5000;

/** Invisible characters can carry words that only a program reads. The flags of regions are drawn with a few of them. */
const invisible = /(\u{1f3f4}[\u{e0000}-\u{e007f}]{1,7})|[\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;

export const withoutInvisible = (text: string): string =>
  text.replaceAll(invisible, (_, flag?: string) => flag ?? '');

export function linesOfText(body: string): Line[] {
  const texts = withoutInvisible(body.slice(0, max_chars)).split(/\r\n?|\n/, max_lines);
  return texts.map((text, at) => ({
    text: text.trimEnd() === '--' ? text : text.trimEnd(),
    is_quoted: isQuoted(texts, at),
    mark: null,
  }));
}

function isQuoted(texts: string[], at: number): boolean {
  const text = texts[at]!;
  if (!/^\s{0,4}[>＞]/u.test(text)) return isLinkTail(texts, at);
  // ">>> click here <<<" is decoration.
  if (/<{2,}\s*$/.test(text)) return false;
  const above = texts[at - 1] ?? '';
  const below = texts[at + 1] ?? '';
  // mbox files write ">From" where a line begins with "From".
  if (/^>From\s/.test(text) && !above.startsWith('>') && !below.startsWith('>')) return false;
  // A link or address in angle brackets that was broken before its end: "<https://example.com/a" and then "> for more".
  return !(/<(?:https?:|mailto:|[^<>\s]{1,64}@)[^<>\s]*$/.test(above) && !/^\s{0,4}>/.test(above));
}

/** The rest of a quoted link whose line was broken: "> see (https://example.com/a" and then "b=1)", or "(https://example.com/) >". */
function isLinkTail(texts: readonly string[], at: number): boolean {
  const above = texts[at - 1] ?? '';
  if (!above.startsWith('>') || !texts[at + 1]?.startsWith('>')) return false;
  const text = texts[at]!.trim();
  if (/^[(<]https?:\/\/[^\s()<>]+[)>]\s>$/.test(text)) return true;
  return /[(<]https?:\/\/[^\s()<>]*$/.test(above) && /^[^\s()<>]+[)>]$/.test(text);
}

export function linesOfHtml(body: string): Line[] {
  const read = htmlLines(body, { max_chars, markOf });
  return read.slice(0, max_lines).map(({ text, quotes, mark }) => ({
    text: withoutInvisible(text),
    is_quoted: mark === 'quote' || (quotes > 0 && mark !== 'indent' && mark !== 'bare'),
    mark: mark as Mark | null,
  }));
}

/** Classes, ids and names that mail programs give, without the `x_` that Outlook on the web puts before them. */
const program_marks: Readonly<Record<string, Mark>> = {
  gmail_attr: 'attribution', // Gmail
  airmail_on: 'attribution',
  'moz-cite-prefix': 'cite', // Thunderbird
  'moz-forward-container': 'quote',
  divrplyfwdmsg: 'original', // Outlook on the web, Outlook for Windows (new)
  'mail-editor-reference-message-container': 'quote', // Outlook for Android and iOS
  olk_src_body_section: 'quote', // Outlook for Mac
  yahoo_quoted: 'quote',
  protonmail_quote: 'quote',
  tutanota_quote: 'quote',
  appleoriginalcontents: 'quote', // Apple Mail, forwards
  zmail_extra: 'quote', // Zoho
  missive_quote: 'quote',
  'sh-quoted-content': 'quote', // Superhuman
  ntes_quoted: 'quote', // NetEase
  'ntes-mailmaster-quote': 'quote',
  zwchr: 'original', // Zimbra, the rule above the headers
  stopspelling: 'original', // Hotmail, the rule above the headers
  gmail_signature: 'signature',
  gmail_signature_prefix: 'signature',
  'moz-signature': 'signature',
  'ms-outlook-mobile-signature': 'signature',
  protonmail_signature_block: 'signature',
};

/** Whether markup of a mail program in it says what is quoted. */
export const hasProgramMarks = (html: string): boolean =>
  /gmail_(?:quote|attr)|moz-cite-prefix|divrplyfwdmsg|mail-editor-reference|olk_src_body|yahoo_quoted|protonmail_quote|tutanota_quote|type=["']?cite|name=["']?quote|zwchr|border-top\s*:\s*solid\s+#(?:e1e1e1|b5c4df)/i.test(
    html,
  );

/** The line that Outlook for Windows, in all its languages, and Windows Mail draw above the headers of what they quote. */
const outlook_rule =
  /border-top\s*:\s*solid\s+#(?:e1e1e1|b5c4df)\s+1\.0pt\s*;\s*padding\s*:\s*3\.0pt|padding-top\s*:\s*5px\s*;\s*border-top-color\s*:\s*rgb\(229,\s*229,\s*229\)/i;

function markOf(name: string, attributes: Attributes, around: string | null): string | null {
  // Inside a quotation and inside a signature everything is part of it.
  if (around === 'quote' || around === 'signature') return around;
  if (name === 'blockquote') return quoteOf(attributes);
  if (name === 'includetail') return 'quote';
  if (attributes['data-marker'] === '__QUOTED_TEXT__') return 'quote';
  if (attributes['data-marker'] === '__DIVIDER__') return 'original';
  if (name === 'div' && attributes.name?.toLowerCase() === 'quote') return 'quote'; // GMX, web.de
  if (name === 'div' && attributes.style !== undefined && outlook_rule.test(attributes.style))
    return 'original';
  if (attributes.class === undefined && attributes.id === undefined) return around;
  const names = `${attributes.class ?? ''} ${attributes.id ?? ''}`.toLowerCase().split(/\s+/, 30);
  for (const each of names) {
    const mark = program_marks[each.replace(/^(?:x_)+|^ydp[\da-f]+/, '')];
    if (mark) return mark;
  }
  return around;
}

/** A quotation has a line at its side, or nothing at all; what is only set in may be the sender's own list. */
function quoteOf({ type, cite, class: classes, style }: Attributes): Mark {
  if (type?.toLowerCase() === 'cite' || cite !== undefined || /quote|cite/i.test(classes ?? '')) {
    // Gmail gives the same class to what the sender indents, without the line.
    return /border(?:-left)?\s*:\s*(?:none|0)/i.test(style ?? '') && type === undefined ? 'indent' : 'quote';
  }
  if (style === undefined) return 'bare';
  return /border(?:-left)?\s*:(?!\s*(?:none|0(?:px)?\s*(?:;|$)))/i.test(style) ? 'quote' : 'indent';
}
