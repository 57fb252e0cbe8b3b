// Reads days, times of day and lengths of time that were spoken or written in English.
import { numbersIn, ordinalIn } from './spoken-numbers.ts';

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = 'january february march april may june july august september october november december'.split(
  ' ',
);
const month = `(${months.join('|')})`;
const day = '(\\d{1,2}(?:st|nd|rd|th)?|(?:twenty|thirty)[- ]\\w+|thirtieth|\\w+(?:th|st|nd|rd))';
const year = '(?:,? (\\d{4}))?';
const month_first = new RegExp(`\\b${month} (?:the )?${day}\\b${year}`, 'i');
const day_first = new RegExp(`\\b${day} (?:of )?${month}\\b${year}`, 'i');
const day_ms = 86_400_000;

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The day as YYYY-MM-DD; relative days count from `today`. Null when the text names none. */
export function dateIn(text: string, today: string): string | null {
  const iso_date = /\b\d{4}-\d{2}-\d{2}\b/.exec(text)?.[0];
  if (iso_date) return iso_date;
  const first = month_first.exec(text);
  const last = first ? null : day_first.exec(text);
  const named = first ? [first[1], first[2], first[3]] : last ? [last[2], last[1], last[3]] : null;
  if (named) return namedDate(named[0]!, named[1]!, named[2], today);
  const now = Date.parse(today);
  if (/\bday after tomorrow\b/i.test(text)) return iso(now + 2 * day_ms);
  if (/\btomorrow\b/i.test(text)) return iso(now + day_ms);
  if (/\b(today|tonight)\b/i.test(text)) return iso(now);
  const weekday = new RegExp(`\\b(${weekdays.join('|')})\\b`, 'i').exec(text)?.[1];
  if (!weekday) return null;
  const ahead = (weekdays.indexOf(weekday.toLowerCase()) - new Date(now).getUTCDay() + 7) % 7;
  return iso(now + (ahead === 0 ? 7 : ahead) * day_ms);
}

/** Without a year: the next such day from today on. */
function namedDate(
  name: string,
  day_text: string,
  year_text: string | undefined,
  today: string,
): string | null {
  const number = ordinalIn(day_text);
  if (number === null || number > 31) return null;
  const inYear = (of: number) => iso(Date.UTC(of, months.indexOf(name.toLowerCase()), number));
  const this_year = Number(today.slice(0, 4));
  if (year_text) return inYear(Number(year_text));
  return inYear(this_year) >= today ? inYear(this_year) : inYear(this_year + 1);
}

const hour_words = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const hour = `(\\d{1,2}|${hour_words.join('|')})`;
const minutes: Record<string, number> = {
  thirty: 30,
  fifteen: 15,
  'forty-five': 45,
  'forty five': 45,
  ten: 10,
  twenty: 20,
};
const half = '(a\\.?m\\b|p\\.?m\\b|in the (?:morning|afternoon|evening))?';
const time_forms: {
  form: RegExp;
  read(match: RegExpExecArray): { hours: string; minutes: number; half: string | undefined };
}[] = [
  {
    form: new RegExp(`\\b(\\d{1,2}):(\\d{2})(?::\\d{2})? ?${half}`, 'i'),
    read: (match) => ({ hours: match[1]!, minutes: Number(match[2]), half: match[3] }),
  },
  {
    form: new RegExp(`\\b(half past|quarter past|quarter to) ${hour}\\b ?${half}`, 'i'),
    read: (match) => ({
      hours: match[2]!,
      minutes: { 'half past': 30, 'quarter past': 15 }[match[1]!.toLowerCase()] ?? -15,
      half: match[3],
    }),
  },
  {
    form: new RegExp(`\\b${hour}[ -](thirty|fifteen|forty[- ]five|ten|twenty)\\b ?${half}`, 'i'),
    read: (match) => ({ hours: match[1]!, minutes: minutes[match[2]!.toLowerCase()]!, half: match[3] }),
  },
  {
    form: new RegExp(`\\b${hour} ?(?:o'?clock ?)?${half.slice(0, -1)}`, 'i'),
    read: (match) => ({ hours: match[1]!, minutes: 0, half: match[2] }),
  },
  {
    form: new RegExp(`\\b(?:at|from|until|by|around) ${hour}\\b|\\b${hour} o'?clock\\b`, 'i'),
    read: (match) => ({ hours: match[1] ?? match[2]!, minutes: 0, half: undefined }),
  },
];

/** The time as HH:MM. Without am or pm, one to seven are in the afternoon. Null when the text names none. */
export function timeIn(text: string): string | null {
  if (/\bnoon\b/i.test(text)) return '12:00';
  if (/\bmidnight\b/i.test(text)) return '00:00';
  for (const { form, read } of time_forms) {
    const match = form.exec(text);
    if (match) return clockTime(read(match), match[0].includes(':'));
  }
  return null;
}

function clockTime(
  said: { hours: string; minutes: number; half: string | undefined },
  is_written: boolean,
): string | null {
  const named = hour_words.indexOf(said.hours.toLowerCase()) + 1;
  let hours = named || Number(said.hours);
  const is_later = said.half ? /^p|afternoon|evening/i.test(said.half) : !is_written && hours <= 7;
  if (is_later && hours < 12) hours += 12;
  if (said.half && !is_later && hours === 12) hours = 0;
  const total = hours * 60 + said.minutes;
  if (total < 0 || total >= 24 * 60 || said.minutes > 59) return null;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(total / 60))}:${two(total % 60)}`;
}

/** An ISO 8601 duration such as PT30M; null when the text names none. */
export function durationIn(text: string): string | null {
  const [, amount, unit] = /\b([\w -]{1,30}?) ?(minute|hour|day|week|month|year)s?\b/i.exec(text) ?? [];
  if (!unit) return null;
  const value = numbersIn(amount!).at(-1) ?? (/\ban? ?$/i.test(amount!) || /^an?$/i.test(amount!) ? 1 : null);
  if (value === null) return null;
  const letter = unit[0]!.toUpperCase();
  return letter === 'H' || unit.toLowerCase() === 'minute' ? `PT${value}${letter}` : `P${value}${letter}`;
}
