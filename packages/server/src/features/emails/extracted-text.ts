// Finds the new words of a reply: what its writer wrote, without the messages quoted below and the signature.
import { htmlToText } from '../../platform/html-text.ts';

const max_chars = 200_000;
const max_lines = 5000;

/** The line that introduces a quoted message, in the forms and languages of common mail programs. */
const introductions = [
  /^\s*(on|le|am|el|il|em|op|den|dne|w dniu|на|в)\b.{0,300}\b(wrote|a écrit|schrieb|escribió|ha scritto|escreveu|schreef|skrev|napsal|napisał\(?a?\)?|написал\(?а?\)?)\b.{0,200}:\s*$/iu,
  /^.{0,200}(于|在).{0,100}写道[:：]\s*$/u,
  /^\s*-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|исходное сообщение)\s*-{2,}\s*$/iu,
  /^\s*_{20,}\s*$/,
  /^\s*(begin forwarded message|anfang der weitergeleiteten nachricht)\s*:/iu,
];
const header_line = /^\s*\*?(from|von|de|da|van|från|od|от)\s*:\*?\s.+/iu;
const header_next =
  /^\s*\*?(sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|asunto|inviato|a|oggetto|verzonden|aan|onderwerp|cc)\s*:\*?/iu;

export function extractedText(email: { body_text: string | null; body_html: string | null }): string | null {
  const text = email.body_text ?? (email.body_html === null ? null : textOf(email.body_html));
  if (text === null) return null;
  const lines = text.slice(0, max_chars).replaceAll('\r\n', '\n').split('\n');
  const kept: string[] = [];
  for (let at = 0; at < Math.min(lines.length, max_lines); at++) {
    if (lines[at] === '-- ' || quoteBegins(lines, at)) break;
    if (!/^\s*>/.test(lines[at]!)) kept.push(lines[at]!);
  }
  const words = kept.join('\n').trim();
  // A message that is nothing but a quotation, such as a forwarded one, has only those words.
  return words === '' ? text.slice(0, max_chars).trim() : words;
}

function quoteBegins(lines: string[], at: number): boolean {
  const line = lines[at]!;
  if (line.length > 600) return false;
  // Long introductions are wrapped over two lines.
  const wrapped =
    /[:：]\s*$/.test(lines[at + 1] ?? '') && line.trim() !== '' ? `${line} ${lines[at + 1]!.trim()}` : line;
  if (introductions.some((form) => form.test(line) || (wrapped.length <= 600 && form.test(wrapped))))
    return true;
  return (
    header_line.test(line) && header_next.test(lines[at + 1] ?? '') && header_next.test(lines[at + 2] ?? '')
  );
}

const quote_marks = /gmail_quote|yahoo_quoted|divrplyfwdmsg|appendonsend|moz-cite-prefix/i;

const textOf = (html: string): string =>
  htmlToText(html, {
    max_chars,
    leaveOut: (name, { class: classes, id }) =>
      name === 'blockquote' || (name === 'div' && quote_marks.test(`${classes} ${id}`)),
  });
