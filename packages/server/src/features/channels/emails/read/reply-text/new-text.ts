// Separates the text of the sender from quotations: above, below and between them.
import { type Attribution, attributionReader } from './attribution.ts';
import { joinBrokenAttributions } from './broken-attribution.ts';
import { headersEnd, isDivider, isPossibleDivider, isRule } from './headers.ts';
import type { Line } from './lines.ts';
import {
  isListFooter,
  isProgramLine,
  isProgramSignature,
  isTwoLineSignature,
  signatureBegins,
} from './signatures.ts';

export type NewText = {
  /** Empty where everything is quoted. */
  text: string;
  /** Whether a quotation was found and left out. */
  has_quotation: boolean;
  /** Whether one of them begins with the headers of its message. */
  has_headers: boolean;
};

/** Goes through the lines once. What is neither marked nor introduced as quoted stays. */
export function newText(body_lines: readonly Line[]): NewText {
  const lines = joinBrokenAttributions(body_lines);
  const collected = textCollector();
  const attributionAt = attributionReader(lines);
  const isMarkedFrom = (at: number) => {
    const next = nextTextLine(lines, at);
    return next !== null && (next.is_quoted || next.mark === 'indent' || next.mark === 'bare');
  };
  const last_bare = lastBareStart(lines);
  let in_signature = false;
  /** Bare quotation elements count as quotations after an introduction and at the end of a message. */
  let is_introduced = false;
  /** After an introduction, indented text is the quotation. */
  let indents_quote = false;
  let has_headers = false;
  let at = 0;

  /** Skips the introduction; false if everything below it is quoted too. */
  const skipIntroduction = ({ end, is_attribution }: Introduction): boolean => {
    collected.cutQuotation();
    has_headers ||= !is_attribution;
    in_signature = false;
    indents_quote = true;
    is_introduced = true;
    at = end;
    return isMarkedFrom(end) || (is_attribution && hasReplyFrom(end));
  };
  /** If quoted lines are marked, people may also write between the introduction and the quotation. */
  const hasReplyFrom = (from: number): boolean => {
    for (let next = from; next < lines.length; next++) {
      if (lines[next]!.text.trim() === '') continue;
      if (lines[next]!.is_quoted) return true;
      if (introductionAt(lines, next, attributionAt, isMarkedFrom)) return false;
    }
    return false;
  };

  while (at < lines.length) {
    const line = lines[at]!;
    if (line.text.trim() === '') {
      if (!in_signature) collected.add('');
      at++;
      continue;
    }
    const is_bare_quote = line.mark === 'bare' && (is_introduced || at >= last_bare);
    if (line.is_quoted || is_bare_quote || (line.mark === 'indent' && indents_quote)) {
      collected.cutQuotation();
      in_signature = false;
      at++;
      continue;
    }
    const introduction = introductionAt(lines, at, attributionAt, isMarkedFrom);
    if (introduction) {
      if (introduction.before !== '' && !in_signature) collected.add(introduction.before);
      if (skipIntroduction(introduction)) continue;
      break;
    }
    if (line.mark === 'signature' || signatureBegins(lines, at) || isListFooter(lines, at)) {
      collected.cut();
      in_signature = line.mark !== 'signature';
    } else if (!in_signature && !isProgramLine(lines, at)) {
      indents_quote = false;
      collected.add(line.text);
    }
    at++;
  }
  return { ...collected.result(), has_headers };
}

/** The first line of the last bare quotation element, if no other quotation follows it. */
function lastBareStart(lines: readonly Line[]): number {
  let start = lines.findLastIndex(({ mark, is_quoted }) => mark === 'bare' || is_quoted);
  if (start < 0 || lines[start]!.mark !== 'bare') return Number.POSITIVE_INFINITY;
  while (start > 0 && (lines[start - 1]!.mark === 'bare' || lines[start - 1]!.text.trim() === '')) start--;
  return start;
}

const nextTextLine = (lines: readonly Line[], from: number): Line | null => {
  for (let at = from; at < lines.length; at++) if (lines[at]!.text.trim() !== '') return lines[at]!;
  return null;
};

type Introduction = { end: number; before: string; is_attribution: boolean };

/** A divider, headers, or an attribution that begins on this line and introduces a quotation. */
function introductionAt(
  lines: readonly Line[],
  at: number,
  attributionAt: (start: number, is_marked: (end: number) => boolean) => Attribution | null,
  isMarkedFrom: (at: number) => boolean,
): Introduction | null {
  const { text, mark } = lines[at]!;
  const headers = (end: number): Introduction => ({ end, before: '', is_attribution: false });
  if (mark === 'original') return headers(markEnd(lines, at));
  if (isDivider(text)) return headers(belowDivider(lines, at + 1) ?? at + 1);
  if (/^_{20,}$/u.test(text.trim())) {
    const end = belowDivider(lines, at + 1);
    if (end !== null) return headers(end);
  }
  if (isPossibleDivider(text)) {
    const end = belowDivider(lines, at + 1) ?? (isMarkedFrom(at + 1) ? at + 1 : null);
    if (end !== null) return headers(end);
  }
  const headers_end = headersEnd(lines, at, false);
  if (headers_end !== null) return headers(headers_end);
  const attribution = attributionAt(at, isMarkedFrom);
  if (attribution && (attribution.is_certain || isMarkedFrom(attribution.end)))
    return { ...attribution, is_attribution: true };
  if (mark === 'attribution') return { end: markEnd(lines, at), before: '', is_attribution: true };
  // People also write in this element; only its last line is from the program.
  if (mark === 'cite' && /[:：]\s*$/u.test(text) && markEnd(lines, at) === at + 1)
    return { end: at + 1, before: '', is_attribution: true };
  return null;
}

/** The number of the line after the element that this line is in. */
function markEnd(lines: readonly Line[], at: number): number {
  let end = at;
  for (let next = at; next < lines.length; next++) {
    if (lines[next]!.text.trim() === '') continue;
    if (lines[next]!.mark !== lines[at]!.mark) break;
    end = next;
  }
  return end + 1;
}

/** Headers may follow a divider after an empty line. Null if there are none. */
function belowDivider(lines: readonly Line[], from: number): number | null {
  for (let at = from; at < Math.min(lines.length, from + 3); at++)
    if (lines[at]!.text.trim() !== '') return headersEnd(lines, at, true);
  return null;
}

/** Collects the text of the sender. Text around a quotation becomes separate paragraphs. */
function textCollector() {
  const parts: string[][] = [[]];
  let has_quotation = false;
  return {
    add: (text: string) => void parts.at(-1)!.push(text),
    cut(): void {
      if (parts.at(-1)!.length > 0) parts.push([]);
    },
    cutQuotation(): void {
      has_quotation = true;
      trimRule(parts.at(-1)!);
      this.cut();
    },
    result: () => ({
      text: parts
        .map(withoutProgramSignature)
        .filter((part) => part !== '')
        .join('\n\n'),
      has_quotation,
    }),
  };
}

/** Removes the line that is drawn above a quotation. */
function trimRule(part: string[]): void {
  trimBlank(part);
  if (part.length > 0 && isRule(part.at(-1)!)) part.pop();
  trimBlank(part);
}

function trimBlank(part: string[]): void {
  while (part.length > 0 && part.at(-1)!.trim() === '') part.pop();
}

/** Lines of a phone or program are removed only at the end, never from the middle of the text. */
function withoutProgramSignature(part: string[]): string {
  const lines = [...part];
  trimBlank(lines);
  while (lines.length > 0) {
    if (isTwoLineSignature(lines.at(-2) ?? '', lines.at(-1)!)) lines.pop();
    else if (!isProgramSignature(lines.at(-1)!)) break;
    lines.pop();
    trimBlank(lines);
  }
  return lines.join('\n').trim();
}
