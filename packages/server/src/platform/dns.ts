// Asks DNS for records, and keeps "there is none" apart from "nobody answered".

import { Resolver } from 'node:dns/promises';
import type { DnsLookup } from '../protocols/mail/dns-lookup.ts';

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

const remembered_ms = 60_000;
const remembered_names = 10_000;

/** Answers as `dns.resolve` does, and remembers them for a minute: mail of one sender asks the same again and again. */
export function rememberingLookUp(options: { servers: string[]; timeout_ms?: number }): DnsLookup {
  const resolver = new Resolver({ timeout: options.timeout_ms ?? 2000, tries: 2 });
  if (options.servers.length > 0) resolver.setServers(options.servers);
  type Records = Awaited<ReturnType<DnsLookup>>;
  const known = new Map<string, { answer: Promise<Records>; until: number }>();

  return (name, type) => {
    const key = `${type} ${name.toLowerCase()}`;
    const kept = known.get(key);
    if (kept && kept.until > performance.now()) return kept.answer;
    const answer = resolver.resolve(name, type) as Promise<Records>;
    known.delete(key);
    known.set(key, { answer, until: performance.now() + remembered_ms });
    if (known.size > remembered_names) known.delete(known.keys().next().value!);
    // That there is no record is an answer too; that nobody answered is none.
    answer.catch((error: { code?: string }) => {
      if (!absent.has(error.code ?? '')) known.delete(key);
    });
    return answer;
  };
}
