// Several database servers in one URL, of which one accepts writes: finds that one, also after a failover.
import pg from 'pg';
import { DatabaseUnavailable, messageOf } from './database-error.ts';

export type DatabaseAddress = {
  /** One URL per host, in the order of the setting. */
  urls: [string, ...string[]];
  /** Connections are used only if their server accepts writes. */
  must_be_writable: boolean;
};

const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)([^?#]*)(\?[^#]*)?$/;
const writable_attributes = ['read-write', 'primary'];

/**
 * Reads `postgres://user:password@host1:5432,host2:5433/name?target_session_attrs=read-write`. Throws with a reason. Several
 * hosts imply read-write: on a read-only server the service could do nothing.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const [, start, hosts, path = '', query = ''] = parts.exec(url) ?? [];
  if (start === undefined || hosts === undefined)
    throw new Error('expected an address starting with postgres:// or postgresql://');
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('target_session_attrs');
  if (wanted !== null && wanted !== 'any' && !writable_attributes.includes(wanted))
    throw new Error('expected target_session_attrs=read-write, primary or any');
  parameters.delete('target_session_attrs');
  const rest = path + (wanted === null ? query : parameters.size > 0 ? `?${parameters}` : '');
  const urls = hosts.split(',').map((host) => start + host + rest);
  if (!urls.every((each) => URL.canParse(each)))
    throw new Error('expected hosts as name:port, separated by commas');
  return {
    urls: urls as [string, ...string[]],
    must_be_writable: urls.length > 1 || (wanted !== null && wanted !== 'any'),
  };
}

export type WritableHosts = {
  /** Connects to the server that accepts writes. Use it as the Client of a pool. */
  Client: typeof pg.Client;
  /** Throws if the server of a new connection accepts no writes. */
  check(client: pg.ClientBase): Promise<void>;
  /** The current server failed or accepts no writes: the next connection looks for another one. */
  forget(): void;
};

type Options = { probe_timeout_ms: number; onForget(): void };

export function writableHosts({ urls }: DatabaseAddress, options: Options): WritableHosts {
  let search: Promise<string> | null = null;
  const find = () => {
    search ??= findWritable(urls, options.probe_timeout_ms).catch((error) => {
      search = null;
      throw error;
    });
    return search;
  };
  const forget = () => {
    if (!search) return;
    search = null;
    options.onForget();
  };
  const current = (connection: Promise<string> | null) => connection !== null && connection === search;

  class Client extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
      const connected = this.connectToWritable();
      if (!callback) return connected;
      connected.then(() => callback(null), callback);
      return undefined;
    }

    private async connectToWritable(): Promise<pg.Client> {
      const looking = find();
      const { hostname, port } = new URL(await looking);
      // The parent class reads the address only when it connects.
      if (hostname)
        Object.assign(this, { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) });
      try {
        await super.connect();
        return this;
      } catch (error) {
        // Only if no other connection has started a new search meanwhile.
        if (current(looking)) forget();
        throw error;
      }
    }
  }

  return {
    Client,
    forget,
    async check(client) {
      if (await acceptsWrites(client)) return;
      forget();
      throw new DatabaseUnavailable('The database server accepts no writes');
    },
  };
}

async function acceptsWrites(client: pg.ClientBase): Promise<boolean> {
  // Also on in a standby.
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  return rows[0]?.transaction_read_only === 'off';
}

/** Asks all servers together, and takes the first one in their order that accepts writes. */
async function findWritable(urls: readonly string[], timeout_ms: number): Promise<string> {
  const probes = urls.map((url) => probe(url, timeout_ms));
  const reasons: string[] = [];
  for (const [index, url] of urls.entries()) {
    const reason = await probes[index]!;
    if (reason === null) return url;
    reasons.push(`${new URL(url).host}: ${reason}`);
  }
  throw new DatabaseUnavailable(`No database server accepts writes (${reasons.join('; ')})`);
}

/** Null if the server accepts writes, else the reason why not. */
async function probe(url: string, timeout_ms: number): Promise<string | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeout_ms,
    query_timeout: timeout_ms,
    application_name: 'parley probe',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await acceptsWrites(client)) ? null : 'read-only';
  } catch (error) {
    return messageOf(error as Error);
  } finally {
    void client.end().catch(() => {});
  }
}
