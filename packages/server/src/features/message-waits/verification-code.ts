// Finds the one-time code in a text, the way a phone offers it above its keyboard.

const near =
  /\b(code|codes|otp|pin|passcode|password|token|verification|verify|security|2fa|código|codigo|kode|codice|kod)\b|验证码|認証|인증/i;
// Four to eight digits, perhaps in two groups, or a group of capitals and digits; never part of a longer number.
const digits =
  /(?<![\p{L}\p{N}+#$€£.,:/-])(?:(?:[A-Z]{1,2}-)?(\d{4,8})|(\d{3})[ -](\d{3}))(?![\p{L}\p{N}%]|[.,:/-]\d)/gu;
const mixed = /(?<![\p{L}\p{N}])(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])([A-Z0-9]{4,8})(?![\p{L}\p{N}])/gu;

export function verificationCode(body: string): string | null {
  if (!near.test(body)) return null;
  const word = near.exec(body)!.index;
  const found = [...body.matchAll(digits)].map((match) => ({
    at: match.index,
    code: match[1] ?? `${match[2]}${match[3]}`,
  }));
  const candidates =
    found.length > 0
      ? found
      : [...body.matchAll(mixed)].map((match) => ({ at: match.index, code: match[1]! }));
  // Several numbers: the one closest to the word that announces it.
  candidates.sort((a, b) => Math.abs(a.at - word) - Math.abs(b.at - word));
  return candidates[0]?.code ?? null;
}
