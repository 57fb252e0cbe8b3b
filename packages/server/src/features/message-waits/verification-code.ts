// Finds the one-time code in a text, as phones do for their autofill.

const keyword =
  /\b(code|codes|otp|pin|passcode|password|token|verification|verify|security|2fa|código|codigo|kode|codice|kod)\b|验证码|認証|인증/i;
// Four to eight digits, possibly in two groups, or a group of capital letters and digits; never part of a longer number.
const digits =
  /(?<![\p{L}\p{N}+#$€£.,:/-])(?:(?:[A-Z]{1,2}-)?(\d{4,8})|(\d{3})[ -](\d{3}))(?![\p{L}\p{N}%]|[.,:/-]\d)/gu;
const mixed = /(?<![\p{L}\p{N}])(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])([A-Z0-9]{4,8})(?![\p{L}\p{N}])/gu;

export function verificationCode(body: string): string | null {
  if (!keyword.test(body)) return null;
  const keyword_at = keyword.exec(body)!.index;
  const found = [...body.matchAll(digits)].map((match) => ({
    at: match.index,
    code: match[1] ?? `${match[2]}${match[3]}`,
  }));
  const candidates =
    found.length > 0
      ? found
      : [...body.matchAll(mixed)].map((match) => ({ at: match.index, code: match[1]! }));
  // If there are several numbers, take the one closest to the keyword.
  candidates.sort((a, b) => Math.abs(a.at - keyword_at) - Math.abs(b.at - keyword_at));
  return candidates[0]?.code ?? null;
}
