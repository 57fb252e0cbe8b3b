// Finds the new text of a message: what its sender wrote, without quoted messages and signatures. Runs in the threads of
// `text-reader.ts`; on the event loop only for a short plain text.
import { htmlToText } from '../../../../protocols/html/text.ts';
import { pointsToForward } from './reply-text/forwarded.ts';
import {
  hasProgramMarks,
  linesOfHtml,
  linesOfText,
  max_chars,
  withoutInvisible,
} from './reply-text/lines.ts';
import { newText } from './reply-text/new-text.ts';

/** The limit for an HTML body, including markup. */
const readable_chars = 200_000;

export type Bodies = {
  body_text: string | null;
  body_html: string | null;
  /** Says of some messages whether they reply or forward. */
  subject?: string | null | undefined;
};

export function extractedText({ body_text, body_html, subject }: Bodies): string | null {
  if (body_text === null && body_html === null) return null;
  if (body_html !== null && (body_text === null || isStub(body_text))) {
    const of_html = textOfHtml(body_html, subject);
    if (of_html !== '' || body_text === null) return of_html;
  }
  const text = body_text ?? '';
  const { text: written, has_quotation, has_headers } = newText(linesOfText(text));
  if (!has_quotation && body_html !== null && hasProgramMarks(body_html)) {
    const better = newText(linesOfHtml(body_html));
    if (better.has_quotation && better.text !== '' && isPartOf(better.text, written)) return better.text;
  }
  // A message that is only a quotation, such as a forwarded one, is returned whole; also when its words are about that.
  const whole = text.slice(0, max_chars);
  const forward = { written, text: whole, has_headers, subject };
  const is_whole = written === '' || (has_quotation && pointsToForward(forward));
  return is_whole ? withoutInvisible(whole).trim() : written;
}

function textOfHtml(html: string, subject: Bodies['subject']): string {
  const { text, has_quotation, has_headers } = newText(linesOfHtml(html));
  if (text === '') return readableText(html);
  if (!has_quotation) return text;
  const whole = readableText(html);
  return pointsToForward({ written: text, text: whole, has_headers, subject }) ? whole : text;
}

/** The text that a person sees in an HTML body, including quotations. */
export const readableText = (html: string): string =>
  withoutInvisible(htmlToText(html, { max_chars: readable_chars }));

const stub_chars = 400;
const stub_phrases =
  /(?:html|multi-?part|mime)[^\n]{0,80}(?:format|support|view|display|client|anzeig|nachricht|message)|(?:view|read|open|see)[^\n]{0,40}browser|(?:support|client|program)[^\n]{0,60}html|im browser|dans (?:votre|un) navigateur|en (?:su|el) navegador|no (?:seu )?navegador/iu;

/** A text part that only says that the message is in the HTML part. */
function isStub(text: string): boolean {
  if (text.length > 4 * stub_chars) return false;
  const content = text
    .replaceAll(/\[(?:cid|image|inline)[^\]\n]{0,200}\]|https?:\/\/\S+/giu, '')
    .replaceAll(/[\s\p{P}\p{S}]+/gu, ' ')
    .trim();
  return content === '' || (content.length <= stub_chars && stub_phrases.test(text));
}

/** The text without the quotation must be a part of the whole text. */
function isPartOf(part: string, whole: string): boolean {
  const all = lettersOf(whole);
  const lines = part.split('\n').map(lettersOf).filter(Boolean);
  return lettersOf(part).length < all.length && all.includes(lines[0]!) && all.includes(lines.at(-1)!);
}

const lettersOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
