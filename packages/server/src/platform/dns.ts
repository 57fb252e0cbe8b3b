// DNS lookups that distinguish "no such record" from "no response".

import { Resolver } from 'node:dns/promises';
import type { DnsLookup } from '../protocols/mail/dns-lookup.ts';

export type MxRecord = { exchange: string; priority: number };

/** `unknown`: DNS did not respond. */
export type DnsResult<T> = { found: T[] } | { unknown: true };

export type Dns = {
  txt(name: string): Promise<DnsResult<string>>;
  mx(name: string): Promise<DnsResult<MxRecord>>;
};

const absent = new Set(['ENOTFOUND', 'ENODATA', 'NOTFOUND', 'NODATA']);

/** `servers` are addresses with or without a port; an empty list uses those of the operating system. */
export function dnsResolver(options: { servers: string[]; timeout_ms?: number }): Dns {
  // A resolver caches records for their time to live; a person who just corrected a record needs the new one.
  const fresh = () => {
    const resolver = new Resolver({ timeout: options.timeout_ms ?? 3000, tries: 2 });
    if (options.servers.length > 0) resolver.setServers(options.servers);
    return resolver;
  };
  const query = async <T>(lookup: Promise<T[]>): Promise<DnsResult<T>> => {
    try {
      return { found: await lookup };
    } catch (error) {
      return absent.has((error as { code?: string }).code ?? '') ? { found: [] } : { unknown: true };
    }
  };
  return {
    // A long record consists of strings of up to 255 bytes, which are joined.
    txt: (name) =>
      query(
        fresh()
          .resolveTxt(name)
          .then((records) => records.map((parts) => parts.join(''))),
      ),
    mx: (name) =>
      query(
        fresh()
          .resolveMx(name)
          .then((records) =>
            records.map(({ exchange, priority }) => ({ exchange: exchange.toLowerCase(), priority })),
          ),
      ),
  };
}

const cache_ms = 60_000;
const cache_names = 10_000;

/** Same results as `dns.promises.resolve`, cached for a minute: mail from one sender repeats the same lookups. */
export function cachingDnsLookup(options: { servers: string[]; timeout_ms?: number }): DnsLookup {
  const resolver = new Resolver({ timeout: options.timeout_ms ?? 2000, tries: 2 });
  if (options.servers.length > 0) resolver.setServers(options.servers);
  type Records = Awaited<ReturnType<DnsLookup>>;
  const cache = new Map<string, { result: Promise<Records>; until: number }>();

  return (name, type) => {
    const key = `${type} ${name.toLowerCase()}`;
    const cached = cache.get(key);
    if (cached && cached.until > performance.now()) return cached.result;
    const result = resolver.resolve(name, type) as Promise<Records>;
    cache.delete(key);
    cache.set(key, { result, until: performance.now() + cache_ms });
    if (cache.size > cache_names) cache.delete(cache.keys().next().value!);
    // "No such record" is cached, too; a missing response is not.
    result.catch((error: { code?: string }) => {
      if (!absent.has(error.code ?? '')) cache.delete(key);
    });
    return result;
  };
}
