// Resolves the names of targets that users supply. getaddrinfo runs in two threads of the process, so a slow name server of one
// user would delay the targets of all; here every name has its own sockets and its own deadline.
import { lookup, Resolver } from 'node:dns/promises';
import { hostsFile } from './hosts-file.ts';

/** Every address of a host, in the order in which they should be tried. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const default_timeout_ms = 5000;
/** With IPv4 addresses at hand, IPv6 addresses are waited for no longer than this. */
const second_family_ms = 250;
/** Names of the machine and its network: users cannot have a name server for them, and only the operating system knows them all. */
const is_local = /^[^.]+\.?$|\.local\.?$/i;
// RFC 6761 section 6.3.
const is_loopback = /(^|\.)localhost\.?$/i;

export function targetResolver(
  options: {
    /** Addresses with or without a port; left out: those of the operating system. */
    servers?: readonly string[];
    timeout_ms?: number;
    hosts_path?: string;
  } = {},
): Resolve {
  const { servers = [], timeout_ms = default_timeout_ms } = options;
  const hosts = hostsFile(options.hosts_path);
  const lookups = new Map<string, Promise<readonly string[]>>();

  const resolve = async (name: string): Promise<readonly string[]> => {
    if (is_loopback.test(name)) return ['127.0.0.1', '::1'];
    const listed = await hosts.find(name);
    if (listed.length > 0) return ipv4First(listed);
    return is_local.test(name) ? systemResolve(name) : query(name, servers, timeout_ms);
  };

  return (hostname) => {
    const name = hostname.toLowerCase();
    const running = lookups.get(name);
    if (running) return running;
    // Requests for the same name at the same time share one query.
    const result = resolve(name).finally(() => lookups.delete(name));
    lookups.set(name, result);
    return result;
  };
}

const ipv4First = (addresses: readonly string[]) => [
  ...addresses.filter((address) => !address.includes(':')),
  ...addresses.filter((address) => address.includes(':')),
];

/** IPv4 first: where IPv6 has no route, the attempt would otherwise wait for a timeout. */
const systemResolve: Resolve = async (hostname) => {
  const results = await lookup(hostname, { all: true, order: 'ipv4first' });
  return results.map((result) => result.address);
};

/** A new resolver for each name: it follows changes of the system's settings, and its end cancels nobody else's query. */
async function query(
  name: string,
  servers: readonly string[],
  timeout_ms: number,
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: Math.ceil(timeout_ms / 3), tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), timeout_ms);
  let short: NodeJS.Timeout | undefined;
  try {
    const ipv4 = settle(resolver.resolve4(name));
    const ipv6 = settle(resolver.resolve6(name));
    const first = await ipv4;
    if (first.addresses.length > 0) short = setTimeout(() => resolver.cancel(), second_family_ms);
    const second = await ipv6;
    const addresses = [...first.addresses, ...second.addresses];
    if (addresses.length === 0) throw first.error ?? second.error;
    return addresses;
  } finally {
    clearTimeout(deadline);
    clearTimeout(short);
  }
}

type Settled = { addresses: readonly string[]; error: unknown };

const settle = (addresses: Promise<string[]>): Promise<Settled> =>
  addresses.then(
    (found) => ({ addresses: found, error: null }),
    (error: unknown) => ({ addresses: [], error }),
  );
