// Separates the report's own text from the message that it returns: only the own text decides about an address.
import { hasPhrase, normalizeText } from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';
import { returned_below, returned_titles } from '../notices/returned-message.ts';

export type ReportText = {
  lines: string[];
  /** Without quoted subject lines, which may contain any phrase. */
  prose: string;
  /** The returned message below the text. */
  returned: string;
};

const max_chars = 64 * 1024;
const max_lines = 1500;

export function reportText(body: string): ReportText {
  const all = body.slice(0, max_chars).split(/\r\n|\r|\n/, max_lines);
  const end = all.findIndex((line, at) => at > 0 && (isMarker(line) || headersBegin(all, at)));
  const lines = end === -1 ? all : all.slice(0, end);
  return {
    lines,
    prose: lines.filter((line) => !subject_line.test(line)).join('\n'),
    returned: end === -1 ? '' : all.slice(end).join('\n'),
  };
}

const subject_line =
  /^[\s>*]*(subject|betreff|objet|sujet|asunto|assunto|oggetto|onderwerp|ämne|emne|aihe|temat|předmět|тема|konu|件名|主题|主旨|제목)\s*[:：]/iu;

function isMarker(line: string): boolean {
  if (line.length < 6 || line.length > 160) return false;
  const normalized = normalizeText(line);
  // "A transcript of the attempts to send the message follows."
  if (normalized.includes(' transcript ')) return false;
  if (hasPhrase(normalized, returned_below)) return true;
  const is_title = /^\s*[-=*_#>]{2,}/.test(line) || (/[:：]\s*$/.test(line) && line.length < 60);
  return is_title && hasPhrase(normalized, returned_titles) && !normalized.includes(' details ');
}

const header_name =
  /^(received|return-path|delivered-to|message-id|date|from|to|cc|subject|sender|reply-to|errors-to|mime-version|content-type|content-transfer-encoding|references|in-reply-to|importance|user-agent|dkim-signature|domainkey-signature|received-spf|authentication-results|precedence|list-[a-z-]+|arc-[a-z-]+|x-[a-z0-9_-]+):(\s|$)/i;
const mail_header = /^(from|to|cc|subject|date|sender|reply-to):/i;
const headers_needed = 4;

/** Some servers append the message without an introduction. Four header lines in a row are its beginning. */
function headersBegin(lines: string[], at: number): boolean {
  if (!header_name.test(lines[at]!)) return false;
  let count = 0;
  let is_message = false;
  for (const line of lines.slice(at, at + 40)) {
    if (line.trim() === '') break;
    if (/^[ \t]/.test(line)) continue;
    if (!header_name.test(line)) break;
    count++;
    is_message ||= !mail_header.test(line);
  }
  return count >= headers_needed && is_message;
}
