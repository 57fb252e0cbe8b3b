// Compiles the time zones of phone prefixes: `node scripts/prefix-zones.ts map_data.txt`, with resources/timezones/map_data.txt
// of google/libphonenumber. Run it when that file changes; it is not part of `npm run generate`, because it needs a download.
import { readFileSync, writeFileSync } from 'node:fs';

const target = 'packages/server/src/features/rules/quiet-hours/prefix-zones.ts';

const input = process.argv[2];
if (!input) throw new Error('usage: node scripts/prefix-zones.ts map_data.txt');

const entries = readFileSync(input, 'utf8')
  .split('\n')
  .filter((line) => /^\d+\|/.test(line))
  .map((line) => line.split('|') as [string, string]);
const zonesOf = new Map(entries);

/** A prefix with the zones of the shorter prefix above it adds nothing. */
function repeatsShorter(prefix: string, zones: string): boolean {
  for (let length = prefix.length - 1; length > 0; length--) {
    const above = zonesOf.get(prefix.slice(0, length));
    if (above !== undefined) return above === zones;
  }
  return false;
}

const groups = new Map<string, string[]>();
for (const [prefix, zones] of entries) {
  if (repeatsShorter(prefix, zones)) continue;
  for (const zone of zones.split('&')) new Intl.DateTimeFormat('en', { timeZone: zone });
  groups.set(zones, [...(groups.get(zones) ?? []), prefix]);
}
const lines = [...groups].map(([zones, prefixes]) => `${zones}:${prefixes.join(' ')}`);

writeFileSync(
  target,
  `// The time zones that are possible for the prefix of a phone number, compiled by scripts/prefix-zones.ts from the data of
// google/libphonenumber (Copyright The Libphonenumber Authors, Apache-2.0). A line has zones, then their prefixes.
export const prefix_zones = \`
${lines.join('\n')}
\`;
`,
);
