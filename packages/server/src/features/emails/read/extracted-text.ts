// Finds the new words of a message: what its sender wrote, without quoted messages and signatures.
import { htmlToText } from '../../../protocols/html/text.ts';
import {
  hasProgramMarks,
  linesOfHtml,
  linesOfText,
  max_chars,
  withoutInvisible,
} from './reply-text/lines.ts';
import { newWords } from './reply-text/new-words.ts';

/** Of a page, markup included. */
const readable_chars = 200_000;

type Bodies = { body_text: string | null; body_html: string | null };

export function extractedText({ body_text, body_html }: Bodies): string | null {
  if (body_text === null && body_html === null) return null;
  if (body_html !== null && (body_text === null || isStub(body_text))) {
    const of_html = wordsOfHtml(body_html);
    if (of_html !== '' || body_text === null) return of_html;
  }
  const text = body_text ?? '';
  const { text: words, has_quotation } = newWords(linesOfText(text));
  if (!has_quotation && body_html !== null && hasProgramMarks(body_html)) {
    const better = newWords(linesOfHtml(body_html));
    if (better.has_quotation && better.text !== '' && isPartOf(better.text, words)) return better.text;
  }
  // A message that is nothing but a quotation, such as a forwarded one, has only those words.
  return words === '' ? withoutInvisible(text.slice(0, max_chars)).trim() : words;
}

function wordsOfHtml(html: string): string {
  const { text } = newWords(linesOfHtml(html));
  return text === '' ? readableText(html) : text;
}

/** What a person reads of an HTML body, quotations included. */
export const readableText = (html: string): string =>
  withoutInvisible(htmlToText(html, { max_chars: readable_chars }));

const stub_chars = 400;
const stub_phrases =
  /(?:html|multi-?part|mime)[^\n]{0,80}(?:format|support|view|display|client|anzeig|nachricht|message)|(?:view|read|open|see)[^\n]{0,40}browser|(?:support|client|program)[^\n]{0,60}html|im browser|dans (?:votre|un) navigateur|en (?:su|el) navegador|no (?:seu )?navegador/iu;

/** A text part that only says that the words are in the HTML part. */
function isStub(text: string): boolean {
  if (text.length > 4 * stub_chars) return false;
  const words = text
    .replaceAll(/\[(?:cid|image|inline)[^\]\n]{0,200}\]|https?:\/\/\S+/giu, '')
    .replaceAll(/[\s\p{P}\p{S}]+/gu, ' ')
    .trim();
  return words === '' || (words.length <= stub_chars && stub_phrases.test(text));
}

/** Only a part of what the text says can be its new words without the quotation. */
function isPartOf(part: string, whole: string): boolean {
  const all = letters(whole);
  const lines = part.split('\n').map(letters).filter(Boolean);
  return letters(part).length < all.length && all.includes(lines[0]!) && all.includes(lines.at(-1)!);
}

const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
