// The network that a client address belongs to, as the key of limits per client.
import { isIPv6 } from 'node:net';

/** One IPv6 customer has 2^64 addresses, so the /64 network is the key, not the address. */
export function networkOf(ip: string): string {
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
