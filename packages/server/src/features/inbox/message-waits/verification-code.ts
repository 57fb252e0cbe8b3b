// Finds the one-time code in a text, as phones do for their autofill.

const keywords =
  /\b(?:codes?|otp|pin|passcode|password|token|verification|verify|security|2fa|código|codigo|kode|codice|kod)\b|验证码|驗證碼|校验码|認証|인증/gi;

/** Chinese, Japanese and Korean texts have no space between a word and a number. */
const letter = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]`;
/** Four to eight digits, possibly in two groups or after a prefix as in G-123456. Not a part of a price, time, date, phone number or link. */
const digits = new RegExp(
  String.raw`(?<!${letter}|[+#$€£.,/-]|\d:)(?:(?:[A-Z]{1,2}-)?(\d{4,8})|(\d{3})[ -](\d{3}))(?!${letter}|%|[.,:/-]\d)`,
  'gu',
);
/** Capital letters and digits together. Not a part of a link. */
const mixed = new RegExp(
  String.raw`(?<!${letter}|[/.=?&-])(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])([A-Z0-9]{4,8})(?!${letter})`,
  'gu',
);

/** Codes are in the first lines of a message. */
const max_chars = 20_000;

type Place = { at: number; end: number };
type Candidate = Place & { code: string };

export function verificationCode(text: string): string | null {
  const body = text.slice(0, max_chars);
  const words = [...body.matchAll(keywords)].map(placeOf);
  if (words.length === 0) return null;
  const numbers = [...body.matchAll(digits)].map((match) => ({
    ...placeOf(match),
    code: match[1] ?? `${match[2]}${match[3]}`,
  }));
  const candidates: Candidate[] =
    numbers.length > 0
      ? numbers
      : [...body.matchAll(mixed)].map((match) => ({ ...placeOf(match), code: match[1]! }));
  return closest(body, words, candidates);
}

const placeOf = (match: RegExpExecArray): Place => ({ at: match.index, end: match.index + match[0].length });

/** Both lists are in the order of the text, so only the keywords before and after a candidate can be the closest. */
function closest(body: string, words: readonly Place[], candidates: readonly Candidate[]): string | null {
  let best: { code: string; distance: number } | null = null;
  let next = 0;
  for (const candidate of candidates) {
    while (next < words.length && words[next]!.end <= candidate.at) next++;
    const around = words.slice(Math.max(0, next - 1), next + 1);
    const distance = Math.min(...around.map((word) => distanceBetween(body, word, candidate)));
    if (!best || distance < best.distance) best = { code: candidate.code, distance };
  }
  return best?.code ?? null;
}

/** A number right after a keyword, as in "code is 1234", is closer than any other. */
function distanceBetween(body: string, word: Place, { at, end }: Candidate): number {
  if (at < word.end) return Math.max(1, word.at - end);
  const between = body.slice(word.end, at);
  return /^[^\d.!?\n。]{0,12}$/.test(between) ? 0 : between.length;
}
