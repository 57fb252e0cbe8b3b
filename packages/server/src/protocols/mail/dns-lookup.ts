// The type of the DNS query function that is passed to signature and sender checks.

/** Same signature as `dns.promises.resolve`. */
export type DnsLookup = (name: string, type: string) => Promise<string[] | string[][]>;
