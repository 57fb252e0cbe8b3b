// Parses a host name strictly: nothing is trimmed, cut off or decoded.

// UTS 46 silently drops default-ignorable characters such as variation selectors, so they are rejected here.
const letters = /^(?:[A-Za-z0-9.-]|[^\p{ASCII}\p{C}\p{Z}\p{DI}])+$/u;
const plain = /^[a-z0-9.-]+$/;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** URL parsers treat a name whose last label is a number as an IPv4 address. */
const number = /^(?:\d+|0x[0-9a-f]*)$/;
const max_chars = 253;

/**
 * The name in lower-case ASCII as used in the DNS (UTS 46 for international names), or null if the text is not a host
 * name. The URL parser alone is not strict enough: it drops line breaks, ends the name at a slash and decodes percent
 * signs.
 */
export function readHostName(text: string): string | null {
  if (!letters.test(text)) return null;
  const lower = text.toLowerCase();
  const name = plain.test(lower) ? lower : (URL.parse(`http://${text}`)?.hostname ?? null);
  if (name === null || name.length > max_chars) return null;
  const labels = name.split('.');
  return labels.every((each) => label.test(each)) && !number.test(labels.at(-1)!) ? name : null;
}
