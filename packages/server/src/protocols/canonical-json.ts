// Canonical JSON (RFC 8785): equal values have equal texts, so that a hash of the text identifies the value.

/** Members are sorted by their UTF-16 code units; members that are undefined are left out. Numbers and strings as in ECMAScript. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`);
  return `{${members.join(',')}}`;
}
