// Asks DNS for records, and keeps "there is none" apart from "nobody answered".
import { Resolver } from 'node:dns/promises';

export type MxRecord = { exchange: string; priority: number };

/** `unknown`: DNS did not answer, so nothing can be concluded. */
export type DnsAnswer<T> = { found: T[] } | { unknown: true };

export type Dns = {
  txt(name: string): Promise<DnsAnswer<string>>;
  mx(name: string): Promise<DnsAnswer<MxRecord>>;
};

const absent = new Set(['ENOTFOUND', 'ENODATA', 'NOTFOUND', 'NODATA']);

/** `servers` are addresses with or without a port; empty asks those of the machine. */
export function dnsResolver(options: { servers: string[]; timeout_ms?: number }): Dns {
  // A resolver remembers answers for their time to live; a person who just corrected a record wants the new one.
  const fresh = () => {
    const resolver = new Resolver({ timeout: options.timeout_ms ?? 3000, tries: 2 });
    if (options.servers.length > 0) resolver.setServers(options.servers);
    return resolver;
  };
  const ask = async <T>(question: Promise<T[]>): Promise<DnsAnswer<T>> => {
    try {
      return { found: await question };
    } catch (error) {
      return absent.has((error as { code?: string }).code ?? '') ? { found: [] } : { unknown: true };
    }
  };
  return {
    // A long record comes in pieces of 255 bytes; their sum is the record.
    txt: (name) =>
      ask(
        fresh()
          .resolveTxt(name)
          .then((records) => records.map((parts) => parts.join(''))),
      ),
    mx: (name) =>
      ask(
        fresh()
          .resolveMx(name)
          .then((records) =>
            records.map(({ exchange, priority }) => ({ exchange: exchange.toLowerCase(), priority })),
          ),
      ),
  };
}
