// Reads groups of "Name: value" fields, as the machine-readable parts of reports have them.

export type Fields = Map<string, string>;

const max_fields = 2000;

/** One map for each group, with names in lower case. Groups are separated by blank lines; of two equal fields the first counts. */
export function readFields(text: string): Fields[] {
  const groups: Fields[] = [];
  let group: Fields | null = null;
  let last: string | null = null;
  for (const line of text.split(/\r\n|\r|\n/, max_fields)) {
    if (line.trim() === '') {
      group = null;
      last = null;
    } else if (/^[ \t]/.test(line) && group && last !== null) {
      group.set(last, `${group.get(last)} ${line.trim()}`);
    } else {
      const [name, value] = fieldOf(line);
      if (name === null) continue;
      // Some servers do not separate recipients by a blank line.
      if (!group || (name === 'final-recipient' && group.has(name))) {
        group = new Map();
        groups.push(group);
      }
      last = group.has(name) ? null : name;
      if (last !== null) group.set(name, value);
    }
  }
  return groups;
}

function fieldOf(line: string): [string | null, string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon).trim().toLowerCase();
  return colon > 0 && /^[a-z0-9-]{1,80}$/.test(name) ? [name, line.slice(colon + 1).trim()] : [null, ''];
}

/** RFC 3464 section 2.1.2: "rfc822; ana@example.com". */
export const typedValue = (text: string): string =>
  text
    .slice(text.indexOf(';') + 1)
    .trim()
    .replace(/^<|>$/g, '');

const address_form = /[^\s<>,;:"()[\]|@]{1,64}@[^\s<>,;:"()[\]|=@]{1,255}/gu;

/** The addresses in a text, without the punctuation around them. */
export const addressesIn = (text: string, max_chars = 5000): string[] =>
  [...text.slice(0, max_chars).matchAll(address_form)].flatMap(([found]) => {
    const address = found.replace(/^['*_-]+(?=.)|['.!?*_…]+$/g, '');
    return /@[^@]*[\p{L}\p{N}]$/u.test(address) ? [address] : [];
  });

/** The addresses of a recipient field: as written, and as RFC 3461 encodes it ("xtext"), which some servers forget to decode. */
export function recipientsIn(field: string): string[] {
  const value = typedValue(field);
  const quoted = /^"([^"]{1,64})"@(\S{1,255})$/.exec(value);
  // X.400 addresses carry the one of the internet in an attribute.
  const written = quoted ? [`"${quoted[1]}"@${quoted[2]}`] : addressesIn(value.replaceAll(/\/|=/g, ' '));
  const plain = addressesIn(value);
  const decoded = [...plain, ...written].map((address) =>
    address.replaceAll(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
  return [...new Set([...plain, ...written, ...decoded])].filter((each) => /^\S+@\S+$/.test(each));
}
