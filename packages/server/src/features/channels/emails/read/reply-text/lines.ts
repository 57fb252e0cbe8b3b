// The lines of a message body, from plain text or HTML, as the extraction of new text reads them.
import { htmlLines } from '../../../../../protocols/html/text.ts';
import type { Attributes } from '../../../../../protocols/html/walk.ts';

/**
 * What the markup of a mail program says about a line:
 * `quote` it is quoted; `bare` it is in a quotation element without any attributes; `indent` it is indented like a quotation,
 * perhaps by the sender; `attribution` it introduces a quotation; `cite` it is in the element of an introduction, where people
 * also write; `original` everything from here on is quoted; `signature` the mail program added it as a signature.
 */
export type Mark = 'quote' | 'bare' | 'indent' | 'attribution' | 'cite' | 'original' | 'signature';

export type Line = { text: string; is_quoted: boolean; mark: Mark | null };

/** Longer bodies are truncated, because extraction runs while the record is read. Gmail truncates at the same size. */
export const max_chars = 100_000;
const max_lines = 5000;

/** Invisible characters can hide text that only a program reads. Regional flags need some of them, so those stay. */
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
  if (!/^\s{0,4}[>＞]/u.test(text)) return isBarred(texts, at) || isLinkTail(texts, at);
  // ">>> click here <<<" is decoration.
  if (text.trimEnd().endsWith('<<')) return false;
  const above = texts[at - 1] ?? '';
  const below = texts[at + 1] ?? '';
  // mbox files write ">From" where a line begins with "From".
  if (/^>From\s/.test(text) && !above.startsWith('>') && !below.startsWith('>')) return false;
  // A link or address in angle brackets that was broken before its end: "<https://example.com/a" and then "> for more".
  return !(/<(?:https?:|mailto:|[^<>\s]{1,64}@)[^<>\s]*$/.test(above) && !/^\s{0,4}>/.test(above));
}

/** "|" or "C>" before each line, as older programs quote: at least two lines in a row. A table has more bars in a line. */
const barOf = (text: string | undefined): string | null =>
  /^\s{0,4}(\|(?![^|]*\|)(?=\s|$)|\p{Lu}{1,3}>(?=\s|$))/u.exec(text ?? '')?.[1] ?? null;

function isBarred(texts: readonly string[], at: number): boolean {
  const bar = barOf(texts[at]);
  return bar !== null && (barOf(texts[at - 1]) === bar || barOf(texts[at + 1]) === bar);
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

/** Classes, ids and names that mail programs use, without the prefix `x_` of Outlook on the web. */
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

/** Whether the HTML has markup of a mail program that shows quotations. */
export const hasProgramMarks = (html: string): boolean =>
  /gmail_(?:quote|attr)|moz-cite-prefix|divrplyfwdmsg|mail-editor-reference|olk_src_body|yahoo_quoted|protonmail_quote|tutanota_quote|type=["']?cite|name=["']?quote|zwchr|border-top\s*:\s*solid\s+#(?:e1e1e1|b5c4df)/i.test(
    html,
  );

/** The line that Outlook for Windows and Windows Mail draw above the headers of a quotation, in all languages. */
const outlook_rule =
  /border-top\s*:\s*solid\s+#(?:e1e1e1|b5c4df)\s+1\.0pt\s*;\s*padding\s*:\s*3\.0pt|padding-top\s*:\s*5px\s*;\s*border-top-color\s*:\s*rgb\(229,\s*229,\s*229\)/i;

function markOf(name: string, attributes: Attributes, around: string | null): string | null {
  // Everything inside a quotation or a signature belongs to it.
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

/** A quotation has a vertical line, or no style at all. Indented text without a line may be a list of the sender. */
function quoteOf({ type, cite, class: classes, style }: Attributes): Mark {
  if (type?.toLowerCase() === 'cite' || cite !== undefined || /quote|cite/i.test(classes ?? '')) {
    // Gmail uses the same class for text that the sender indented, but without the line.
    return /border(?:-left)?\s*:\s*(?:none|0)/i.test(style ?? '') && type === undefined ? 'indent' : 'quote';
  }
  if (style === undefined) return 'bare';
  return /border(?:-left)?\s*:(?!\s*(?:none|0(?:px)?\s*(?:;|$)))/i.test(style) ? 'quote' : 'indent';
}
