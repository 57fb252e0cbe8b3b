// Reads groups of "Name: value" fields, as the machine-readable parts of reports have them.

/** One map a group, names in lower case; groups are parted by blank lines. */
export function readFields(text: string): Map<string, string>[] {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\n[ \t]+/g, ' ')
    .split(/\n[ \t]*\n/)
    .map((group) => {
      const fields = new Map<string, string>();
      for (const line of group.split('\n')) {
        const colon = line.indexOf(':');
        if (colon < 1) continue;
        const name = line.slice(0, colon).trim().toLowerCase();
        if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
      }
      return fields;
    })
    .filter((fields) => fields.size > 0);
}

/** RFC 3464 section 2.1.2: "rfc822; ana@example.com". */
export const typedValue = (text: string): string =>
  text
    .slice(text.indexOf(';') + 1)
    .trim()
    .replace(/^<|>$/g, '');
