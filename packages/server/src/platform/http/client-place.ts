// Where a request comes from, as far as limits count it.
import { isIPv6 } from 'node:net';

/** One customer of an IPv6 provider has 2^64 addresses: the network counts, not the address. */
export function placeOf(ip: string): string {
  if (!isIPv6(ip) || ip.includes('.')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: ip.includes('::') ? 8 - left.length - right.length : 0 }, () => '0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
