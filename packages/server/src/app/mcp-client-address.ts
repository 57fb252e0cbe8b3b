// The address of a client of the MCP server, behind the proxies that the settings name.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

const withoutMapping = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/i, '');
const familyOf = (ip: string) => (isIPv6(ip) ? 'ipv6' : 'ipv4');

/** `trusted_proxies`: addresses or CIDRs of proxies whose X-Forwarded-For is trusted. */
export function clientAddress(trusted_proxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const proxy of trusted_proxies) {
    const [address = '', prefix] = proxy.split('/');
    if (isIP(address) === 0) continue;
    if (prefix === undefined) trusted.addAddress(address, familyOf(address));
    else if (/^\d+$/.test(prefix)) trusted.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (request) => {
    const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    let ip = withoutMapping(request.socket.remoteAddress ?? '');
    while (isIP(ip) !== 0 && trusted.check(ip, familyOf(ip))) {
      const before = withoutMapping(forwarded.pop()?.trim() ?? '');
      if (isIP(before) === 0) break;
      ip = before;
    }
    return ip;
  };
}
