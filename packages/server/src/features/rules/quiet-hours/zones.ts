// The time zones in which the holder of a phone number may be: several, when the prefix of the number does not tell.
import { prefix_zones } from './prefix-zones.ts';

let zones_by_prefix: ReadonlyMap<string, readonly string[]> | null = null;

/** Read at first use: most servers have no quiet hours. */
function read(): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, readonly string[]>();
  for (const line of prefix_zones.trim().split('\n')) {
    const [zones, prefixes] = line.split(':') as [string, string];
    const list = zones.split('&');
    for (const prefix of prefixes.split(' ')) map.set(prefix, list);
  }
  return map;
}

/** The longest prefix that is known decides. Empty for networks without a country. */
export function zonesOfNumber(e164: string): readonly string[] {
  zones_by_prefix ??= read();
  const digits = e164.replace('+', '');
  for (let length = digits.length; length > 0; length--) {
    const zones = zones_by_prefix.get(digits.slice(0, length));
    if (zones) return zones;
  }
  return [];
}
