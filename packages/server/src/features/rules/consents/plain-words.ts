// Spells text so that patterns match it: without accents, and with straight apostrophes.

const is_ascii = /^[\0-\x7f]*$/;

/** Every inbound text is read, and most are ASCII, which needs no normalization. */
export const plainWords = (text: string): string =>
  is_ascii.test(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(/[‘’]/g, "'");
