// Reads a host name exactly as it was typed: nothing is trimmed, cut off or decoded on the way.

// Default-ignorable characters, such as variation selectors, would be dropped by UTS 46 without a word.
const letters = /^(?:[A-Za-z0-9.-]|[^\p{ASCII}\p{C}\p{Z}\p{DI}])+$/u;
const plain = /^[a-z0-9.-]+$/;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** A last label like this makes the whole an IPv4 address to every URL parser. */
const number = /^(?:\d+|0x[0-9a-f]*)$/;
const max_chars = 253;

/**
 * The name in lower-case ASCII as the DNS knows it (UTS 46 for international names), or null where the text is not a host
 * name. The URL parser alone would not do: it drops line breaks, ends the name at a slash and decodes percent signs.
 */
export function readHostName(text: string): string | null {
  if (!letters.test(text)) return null;
  const lower = text.toLowerCase();
  const name = plain.test(lower) ? lower : (URL.parse(`http://${text}`)?.hostname ?? null);
  if (name === null || name.length > max_chars) return null;
  const labels = name.split('.');
  return labels.every((each) => label.test(each)) && !number.test(labels.at(-1)!) ? name : null;
}
