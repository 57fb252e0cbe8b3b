// The DNS query function that signature and sender checks are given.

/** Same signature as `dns.promises.resolve`. */
export type DnsLookup = (name: string, type: string) => Promise<string[] | string[][]>;
