// Resolves the address of a SIP host (the part of RFC 3263 that a trunk needs): SRV when there is no port, otherwise A or AAAA.
import { lookup as systemLookup, resolveSrv as systemResolveSrv } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Address } from './message-text.ts';

export type TransportName = 'udp' | 'tcp' | 'tls';
export type Hop = { address: string; port: number; servername: string };

export type Resolver = {
  lookup(host: string): Promise<{ address: string }[]>;
  resolveSrv(name: string): Promise<{ name: string; port: number; priority: number; weight: number }[]>;
};

/** Only addresses of our sockets' family. */
export const systemResolver = (family: 4 | 6): Resolver => ({
  lookup: (host) => systemLookup(host, { all: true, family }),
  resolveSrv: systemResolveSrv,
});

const cache_ms = 60_000;
const services: Record<TransportName, string> = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' };

export const defaultPort = (transport: TransportName) => (transport === 'tls' ? 5061 : 5060);

export function nextHops(options: { transport: TransportName; resolver: Resolver; now?: () => number }) {
  const { transport, resolver, now = () => performance.now() } = options;
  const cache = new Map<string, { hops: Hop[]; until: number }>();

  async function addressesOf(host: string, port: number, servername: string): Promise<Hop[]> {
    if (isIP(host) !== 0) return [{ address: host, port, servername }];
    const addresses = await resolver.lookup(host);
    return addresses.map(({ address }) => ({ address, port, servername }));
  }

  async function find({ host, port }: Address): Promise<Hop[]> {
    if (port !== null || isIP(host) !== 0) return addressesOf(host, port ?? defaultPort(transport), host);
    const records = await resolver.resolveSrv(`${services[transport]}.${host}`).catch(() => []);
    const sorted = [...records].sort((a, b) => a.priority - b.priority || b.weight - a.weight);
    for (const record of sorted) {
      const hops = await addressesOf(record.name, record.port, host).catch(() => []);
      if (hops.length > 0) return hops;
    }
    return addressesOf(host, defaultPort(transport), host);
  }

  return {
    /** All addresses, best first. Cached for a minute: a CANCEL must go to the same address as its INVITE. */
    async all(target: Address): Promise<Hop[]> {
      const key = `${target.host}:${target.port ?? ''}`;
      const cached = cache.get(key);
      if (cached && cached.until > now()) return cached.hops;
      const hops = await find(target);
      if (hops.length === 0) throw new Error(`${target.host} has no address`);
      if (cache.size > 1000) cache.clear();
      cache.set(key, { hops, until: now() + cache_ms });
      return hops;
    },
    forget: () => cache.clear(),
  };
}
