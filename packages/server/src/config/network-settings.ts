// Settings that name ports, networks and phone numbers.
import { isIP } from 'node:net';
import type { Network } from '../platform/proxied-server.ts';

type Rest<T> = { default: T | null; default_note?: string; meaning: string };

export type PortRange = { first: number; last: number };
export type { Network };

/** "20000-29999". */
export const portRange = <const D extends PortRange | null>(rest: Rest<PortRange> & { default: D }) => ({
  ...rest,
  read(value: string): PortRange {
    const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(value.trim()) ?? [];
    const range = { first: Number(first), last: Number(last) };
    if (!first || !last || range.first < 1024 || range.last > 65_535 || range.last <= range.first) {
      throw new Error('expected two ports from 1024 to 65535, such as 20000-29999');
    }
    return range;
  },
});

/** "+14155550100,+493012345". */
export const phoneNumbers = <const D extends string[] | null>(rest: Rest<string[]> & { default: D }) => ({
  ...rest,
  read: (value: string): string[] =>
    value.split(',').map((part) => {
      const number = part.trim();
      if (!/^\+[1-9]\d{6,14}$/.test(number)) {
        throw new Error('expected numbers in E.164 separated by commas, such as +14155550100');
      }
      return number;
    }),
});

/** "192.0.2.7,198.51.100.0/24". */
export const networks = <const D extends Network[] | null>(rest: Rest<Network[]> & { default: D }) => ({
  ...rest,
  read: (value: string): Network[] =>
    value.split(',').map((part) => {
      const [, address = '', prefix] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(part.trim()) ?? [];
      const family = isIP(address);
      const most = family === 6 ? 128 : 32;
      if (family === 0 || Number(prefix ?? most) > most) {
        throw new Error(
          'expected addresses or networks separated by commas, such as 192.0.2.7,198.51.100.0/24',
        );
      }
      return { address, prefix: Number(prefix ?? most) };
    }),
});
