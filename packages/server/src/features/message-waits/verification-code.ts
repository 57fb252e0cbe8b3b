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

type Found = { at: number; end: number };
type Candidate = Found & { code: string };

export function verificationCode(body: string): string | null {
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
  const distance = (candidate: Candidate) =>
    Math.min(...words.map((word) => distanceBetween(body, word, candidate)));
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0]?.code ?? null;
}

const placeOf = (match: RegExpExecArray): Found => ({ at: match.index, end: match.index + match[0].length });

/** A number right after a keyword, as in "code is 1234", is closer than any other. */
function distanceBetween(body: string, word: Found, { at, end }: Candidate): number {
  if (at < word.end) return Math.max(1, word.at - end);
  const between = body.slice(word.end, at);
  return /^[^\d.!?\n。]{0,12}$/.test(between) ? 0 : between.length;
}
