// Finds the line that introduces a quoted message: "On Tue, Nov 17, 2026 at 12:00 PM Ana <ana@example.com> wrote:".
import { plain } from './headers.ts';
import type { Line } from './lines.ts';
import { bound_verbs, first_person, openings, quoting, verbs } from './quote-phrases.ts';

export type Attribution = {
  /** The number of the first line after it. */
  end: number;
  /** Text of the sender before it, on the same line. */
  before: string;
  /** True if it can be nothing else: then the following text is quoted even without quote marks. */
  is_certain: boolean;
};

const max_lines = 4;
const max_line_chars = 300;

const escaped = (words: readonly string[]) =>
  words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
const verb = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${escaped(verbs)})(?![\\p{L}\\p{N}])|${escaped(bound_verbs)}`,
  'iu',
);
const opening = new RegExp(`^(?:${escaped([...openings, ...quoting])})(?!\\S)`, 'iu');
const cjk_opening = /^[在于於]/u;
const quoting_start = new RegExp(`^(?:${escaped(quoting)})\\s`, 'iu');
const address = /[^\s<>()[\]"':;,]@[\p{L}\p{N}-]+\.[\p{L}\p{N}.-]+/u;
const time =
  /(?<!\d)\d{1,2}[:：]\d{2}(?!\d)|(?:kl|klo|om|ore|alle|às|as|à|o|um|v)\.?\s\d{1,2}[.h]\d{2}(?!\d)|\d{1,2}[時时点點시]|[ap]\.?m\.?(?!\p{L})/iu;
const year = /(?<!\d)(?:19|20)\d{2}(?!\d)|(?<!\d)\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{1,4}(?!\d)/u;
const date_start = /^(?:\p{L}{1,12}[.,]{0,2}\s+)?\d/u;
/** "2026. 01. 05.", "2026年" and "05/01/2026" */
const numeric_date_start = /^\d{4}\s?[.年]|^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?!\d)/u;
/** "at 10:18," continues the line before. */
const time_start = /^\p{L}{1,3}\s(?:las\s)?\d{1,2}[:h]\d{2}/u;
const colon_end = /[:：]$/u;
const dash_start = /^-{2,}/u;
const dash_end = /-{2,}$/u;
/** "<ana@example.com>:", also in round or square brackets and with the polite forms of Korean behind it. */
const address_end = /@[^\s@]+[>)\]][»"”]?(?:님이|さん)?\s*[:：]$/u;

/** "Ana Sousa <ana@example.com> wrote:" and nothing else. */
const named_writer = new RegExp(
  `^["']?[^<>.!?,;:]{1,60}["']?\\s?<[^<>\\s]+@[^<>\\s]+>\\s(?:\\p{L}+\\s){0,2}(?:${escaped(verbs)})\\s?:$`,
  'iu',
);
/** Zoho without its dashes: "On Tue, 17 Nov 2026 12:00:00 +0100 Ana <ana@example.com> wrote". */
const no_colon = new RegExp(`<[^<>\\s]+@[^<>\\s]+>\\s(?:\\p{L}+\\s){0,2}(?:${escaped(verbs)})$`, 'iu');
export const verb_end = new RegExp(
  `(?:${escaped([...verbs, ...bound_verbs])})(?:\\(-?\\p{L}+\\))?\\s?[:：]$`,
  'iu',
);
/** Yahoo on Android puts the quotation on the same line as the introduction. */
const same_line = new RegExp(
  `<[^<>\\s]+@[^<>\\s]+>\\s*(?:[\\p{L}]+\\s){0,2}(?:${escaped(verbs)})\\s?:\\s{2,}\\S`,
  'iu',
);

/** What was found in one line. Cached, because the lines around it need it too. */
type Facts = { text: string; verb: boolean; address: boolean; time: boolean; year: boolean };

export function attributionReader(lines: readonly Line[]) {
  const known = new Map<number, Facts>();
  const factsOf = (at: number): Facts => {
    let facts = known.get(at);
    if (!facts) {
      const whole = plain(lines[at]!.text);
      // Truncated with a mark, so that the cut is not taken for the end of the line.
      const text = whole.length > max_line_chars ? `${whole.slice(0, max_line_chars)}…` : whole;
      facts = {
        text,
        verb: verb.test(text),
        address: address.test(text),
        time: time.test(text),
        year: year.test(text),
      };
      known.set(at, facts);
    }
    return facts;
  };
  const isOpen = (at: number) => {
    const line = lines[at];
    return line !== undefined && !line.is_quoted && line.text.trim() !== '';
  };

  /** The attribution that begins on this line, if one does. `is_marked`: whether quoted lines follow after this line. */
  return function attributionAt(start: number, is_marked: (end: number) => boolean): Attribution | null {
    if (!isOpen(start)) return null;
    const texts: string[] = [];
    const all = { verb: false, address: false, time: false, year: false };
    for (let at = start; at < start + max_lines && isOpen(at); at++) {
      if (at > start && lines[at]!.mark !== lines[start]!.mark) break;
      const facts = factsOf(at);
      all.verb ||= facts.verb;
      all.address ||= facts.address;
      all.time ||= facts.time;
      all.year ||= facts.year;
      texts.push(facts.text);
      // An attribution has at least one of them, and both are rare.
      if (!all.verb && !all.address) continue;
      if (at > start && !/[:：>\p{L}\p{N})\]-]$/u.test(facts.text)) continue;
      const joined = joinWrapped(texts);
      const found = judge(joined, all, () => is_marked(at + 1), texts.length);
      if (!found) continue;
      if (at > start && !beginsHere(texts, factsOf(start), (line) => factsOf(start + line))) return null;
      return { end: at + 1, before: found.before, is_certain: found.is_certain };
    }
    return null;
  };
}

/** "Ana <" and "ana@example.com>" are joined without a space. */
const joinWrapped = (texts: readonly string[]): string =>
  texts.reduce(
    (joined, text) => (joined === '' || /[<([]$/u.test(joined) ? joined + text : `${joined} ${text}`),
    '',
  );

const stripped = (text: string) => text.replace(/^[-*_\s>|]+/u, '');
export const beginsAsOne = (text: string): boolean => {
  const bare = stripped(text);
  return (opening.test(bare) || cjk_opening.test(bare)) && /\d|@/u.test(bare);
};

/** Whether a wrapped attribution begins on the first of these lines, and not on one below it. */
function beginsHere(texts: readonly string[], first: Facts, factsOf: (line: number) => Facts): boolean {
  if (texts.slice(1).some((text) => beginsAsOne(text) && !time_start.test(text))) return false;
  if (beginsAsOne(first.text)) return true;
  const rest = texts.slice(1).map((_, index) => factsOf(index + 1));
  const has = (fact: 'verb' | 'address' | 'time' | 'year') => rest.some((facts) => facts[fact]);
  if (has('verb') && has('address') && (has('time') || has('year'))) return /^</u.test(texts[1]!);
  return (
    first.address ||
    first.year ||
    (first.time && date_start.test(first.text)) ||
    /[<("[][^>)"\]]*$/u.test(first.text) ||
    /^</u.test(texts[1]!)
  );
}

type Evidence = { verb: boolean; address: boolean; time: boolean; year: boolean };

function judge(
  text: string,
  { verb: has_verb, address: has_address, time: has_time, year: has_year }: Evidence,
  isMarked: () => boolean,
  line_count: number,
): { before: string; is_certain: boolean } | null {
  const has_date = has_time || has_year;
  const ends = colon_end.test(text);
  const between_dashes = dash_start.test(text) && dash_end.test(text);
  const bare = stripped(text);
  const opens = opening.test(bare) || cjk_opening.test(bare);
  if (has_verb && (has_date || has_address) && (ends || between_dashes || endsWithVerb(text))) {
    const certain =
      between_dashes ||
      (has_date && has_address && ends) ||
      (line_count <= 2 && named_writer.test(bare)) ||
      (has_time && has_year && opens && no_colon.test(bare)) ||
      (has_time && has_year && opens && ends && !first_person.test(bare)) ||
      (has_time && numeric_date_start.test(bare) && verb_end.test(text) && !first_person.test(bare));
    if (!certain && !isMarked()) return null;
    return { before: line_count === 1 || !opens ? sharedStart(text) : '', is_certain: certain };
  }
  // Without a verb: "2026年11月17日(火) 12:00 Ana <ana@example.com>:" and "вт, 17 нояб. 2026 г. в 12:00, Ana <ana@example.com>:"
  if (has_date && has_address && address_end.test(text) && (date_start.test(bare) || opens))
    return { before: '', is_certain: has_year };
  // Tuta: "Nov 17, 2026, 12:00 by ana@example.com:"
  if (has_time && has_year && date_start.test(bare) && /\s[^\s@]+@[^\s@]+\p{L}[:：]$/u.test(text))
    return { before: '', is_certain: true };
  if (opens && has_date && has_address && /\ssent\s*[:：]$/iu.test(text))
    return { before: '', is_certain: true };
  if (line_count === 1 && opens && has_date && same_line.test(bare)) return { before: '', is_certain: true };
  if (has_address && ends && quoting_start.test(bare) && isMarked()) return { before: '', is_certain: false };
  if (has_year && has_address && /^\d{4}[-/]\d/u.test(bare) && /@[^\s@]+>$/u.test(text) && isMarked())
    return { before: '', is_certain: false };
  // "Ana Sousa wrote:" is only accepted if quoted lines follow.
  if (
    line_count === 1 &&
    has_verb &&
    (ends || between_dashes) &&
    bare.split(/\s+/u).length <= 8 &&
    isMarked()
  )
    return { before: '', is_certain: false };
  return null;
}

const endsWithVerb = (text: string): boolean => {
  const last = text.slice(-24);
  const match = verb.exec(last);
  return match !== null && match.index + match[0].length >= last.replace(/[\s().a-zа-я-]+$/iu, '').length;
};

const shared =
  /^(.*?\S)\s*(?:-{2,}\s*|\s)(?=(?:On|Le|Am|El|Il|Em|Op|Den|Dne|Dnia|W dniu)\s+(?:\p{L}{2,12}[.,]{0,2}\s+){0,2}\d)/u;

/** "Yes, please. On Wed, Apr 4, 2026 at 3:59 PM, ana@example.com wrote:" on one line: the beginning is text of the sender. */
function sharedStart(text: string): string {
  if (opening.test(stripped(text)) || text.length > max_line_chars) return '';
  const match = shared.exec(text);
  // A name before the date belongs to the attribution.
  return match && !address.test(match[1]!) ? match[1]! : '';
}
