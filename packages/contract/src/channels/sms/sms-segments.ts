// Counts the segments a text is sent and billed as (3GPP TS 23.038 for the alphabet, 23.040 for the segments).

/** The GSM 7-bit default alphabet; each character takes one septet. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Its extension table; each character takes an escape septet and a second septet, which stay in one segment. */
const extension = new Set('\f^{}\\[~]|€');

export type Segmented = { encoding: 'gsm7' | 'ucs2'; segments: number };

/** A longer text is split into segments, and each segment loses space to a header with its position. */
const sizes = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const;

export function segmentsOf(text: string): Segmented {
  const gsm7: number[] = [];
  for (const character of text) {
    if (basic.has(character)) gsm7.push(1);
    else if (extension.has(character)) gsm7.push(2);
    else
      return {
        encoding: 'ucs2',
        segments: parts(
          Array.from(text, (point) => point.length),
          sizes.ucs2,
        ),
      };
  }
  return { encoding: 'gsm7', segments: parts(gsm7, sizes.gsm7) };
}

/** `widths` are the sizes of the characters; a character is never split. */
function parts(widths: number[], { single, part }: { single: number; part: number }): number {
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (total <= single) return 1;
  let count = 1;
  let used = 0;
  for (const width of widths) {
    if (used + width > part) {
      count++;
      used = 0;
    }
    used += width;
  }
  return count;
}
