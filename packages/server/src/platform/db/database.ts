// Access to PostgreSQL: queries, transactions, and one error for a database that cannot be reached.
import pg from 'pg';
import { untilCut } from '../drain.ts';
import {
  DatabaseUnavailable,
  databaseError,
  isContention,
  messageOf,
  statementError,
} from './database-error.ts';
import { fastStatements } from './fast-statements.ts';
import { parseDatabaseUrl, writableHosts } from './hosts.ts';
import { type Sql, sql } from './sql.ts';
import { type Limit, plainStatements, type StatementRunner, types } from './statement-runner.ts';

export { DatabaseUnavailable, databaseError, isDuplicateIn, violates } from './database-error.ts';

export type Row = Record<string, unknown>;

/** Where SQL can be run: on any connection, or inside a transaction. */
export type Queryable = {
  rows<T = Row>(query: Sql): Promise<T[]>;
  /** The first row, or null. */
  maybe<T = Row>(query: Sql): Promise<T | null>;
  /** Returns how many rows were affected. */
  run(query: Sql): Promise<number>;
};

export type Transaction = Queryable & {
  /** Runs once the transaction is committed; never when it is rolled back. */
  afterCommit(action: () => void): void;
};

export type Database = Queryable & {
  /** Runs again after a deadlock, so the work must be safe to repeat. `is_long`: its statements have no time limit. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: { is_long?: boolean }): Promise<T>;
  /** One connection for work that needs a session, such as an advisory lock. Its statements have no time limit here. */
  session<T>(work: (session: Queryable) => Promise<T>): Promise<T>;
  /** One connection outside the pool that receives the notifications of this channel, until it is closed or lost. */
  listen(channel: string, received: (payload: string) => void): Promise<Listening>;
  /** After this a client gives up a statement of a server that does not respond. */
  readonly give_up_ms: number;
  /** Replaced after a failover, so it must not be kept. */
  readonly pool: pg.Pool;
  /** Waits for running queries, until the cut. */
  close(cut?: AbortSignal): Promise<void>;
};

export type Listening = {
  /** Resolves when the connection is over, for whatever reason. */
  closed: Promise<void>;
  close(): void;
};

export type DatabaseOptions = {
  /** May name several hosts; see hosts.ts. */
  url: string;
  max_connections: number;
  connect_timeout_ms?: number;
  query_timeout_ms?: number;
  /** Without prepared statements and binary parameters, for example behind a connection pooler. */
  plain?: boolean;
  onError?: (error: Error) => void;
};

/** The name of the connections that wait for notifications. */
export const wake_application = 'parley wake';

/** A slow server gets this long to cancel a statement itself, before the client gives up. */
const grace_ms = 1000;
const max_tries = 3;
/** On a machine whose processors are busy, a server that works needs seconds for a new connection. */
const default_connect_ms = 20_000;
/** The servers are asked together, so one that does not respond delays a failover by this much. */
const longest_probe_ms = 5000;

export function openDatabase(options: DatabaseOptions): Database {
  const query_timeout_ms = options.query_timeout_ms ?? 30_000;
  const pools = openPools(options, query_timeout_ms);
  const statements = options.plain ? plainStatements() : fastStatements();
  const connections: Connections = { pools, statements };
  const give_up_ms = query_timeout_ms + grace_ms;
  const limit: Limit = { query_timeout: give_up_ms };
  // Not pool.query: it closes the connection after every SQL error, such as an expected duplicate.
  const once = <T>(work: (client: Queryable) => Promise<T>) =>
    repeated(() => withClient(connections, limit, work));

  return {
    rows: <T>(query: Sql) => once((client) => client.rows<T>(query)),
    maybe: <T>(query: Sql) => once((client) => client.maybe<T>(query)),
    run: (query) => once((client) => client.run(query)),
    give_up_ms,
    get pool() {
      return pools.current();
    },
    session: (work) => withClient(connections, {}, work),
    listen: (channel, received) => listen(pools, channel, received),
    transaction: (work, { is_long = false } = {}) =>
      repeated(() =>
        withClient(connections, is_long ? {} : limit, (client) => runTransaction(client, work, is_long)),
      ),
    async close(cut) {
      statements.close();
      await untilCut(pools.end(), cut);
    },
  };
}

type Pools = {
  current(): pg.Pool;
  /** A connection that does not belong to the pool. */
  connect(application_name: string): Promise<pg.Client>;
  lostServer(): void;
  end(): Promise<unknown>;
};

/** One pool, replaced when its server no longer accepts writes: connections to that server would read old data. */
function openPools(options: DatabaseOptions, query_timeout_ms: number): Pools {
  const address = parseDatabaseUrl(options.url);
  const config: pg.PoolConfig = {
    connectionString: address.urls[0],
    max: options.max_connections,
    connectionTimeoutMillis: options.connect_timeout_ms ?? default_connect_ms,
    idleTimeoutMillis: 60_000,
    statement_timeout: query_timeout_ms,
    keepAlive: true,
    application_name: 'parley',
    types,
  };
  if (!address.must_be_writable) {
    const pool = openPool(config, options);
    const connect = (application_name: string) => connected(new pg.Client({ ...config, application_name }));
    return { current: () => pool, connect, lostServer: () => {}, end: () => pool.end() };
  }
  const open = () =>
    openPool({ ...config, Client: hosts.Client, onConnect: hosts.check } as pg.PoolConfig, options);
  const ended: Promise<void>[] = [];
  const hosts = writableHosts(address, {
    probe_timeout_ms: Math.min(longest_probe_ms, config.connectionTimeoutMillis!),
    onForget() {
      ended.push(pool.end());
      pool = open();
    },
  });
  let pool = open();
  return {
    current: () => pool,
    connect: (application_name) => connected(new hosts.Client({ ...config, application_name }), hosts.check),
    lostServer: hosts.forget,
    end: () => Promise.all([...ended, pool.end()]),
  };
}

async function connected(
  client: pg.Client,
  check?: (client: pg.ClientBase) => Promise<void>,
): Promise<pg.Client> {
  // Its end is reported by the event `end`; an error without a listener would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await check?.(client);
    return client;
  } catch (error) {
    void client.end().catch(() => {});
    throw databaseError(error);
  }
}

async function listen(
  pools: Pools,
  channel: string,
  received: (payload: string) => void,
): Promise<Listening> {
  const client = await pools.connect(wake_application);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  client.once('end', resolve);
  client.on('notification', ({ payload }) => received(payload ?? ''));
  const close = () => void client.end().catch(() => {});
  try {
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
  } catch (error) {
    close();
    throw databaseError(error as Error);
  }
  // It must not keep a process alive that has nothing else to do.
  (client as pg.Client & { unref(): void }).unref();
  return { closed, close };
}

function openPool(config: pg.PoolConfig, options: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool(config);
  // The pool replaces a broken idle connection; without a listener the process would exit. Only the message is passed on:
  // the error itself contains the client, with the secret that can cancel its queries.
  pool.on('error', (error) => options.onError?.(new DatabaseUnavailable(messageOf(error))));
  // A connection that was given up may still report an error, which must not end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

type Connections = { pools: Pools; statements: StatementRunner };

async function withClient<T>(
  { pools, statements }: Connections,
  limit: Limit,
  work: (client: Queryable) => Promise<T>,
): Promise<T> {
  const client = await pools
    .current()
    .connect()
    .catch((error) => {
      throw databaseError(error);
    });
  let broken: Error | undefined;
  const markBroken = (error: Error) => {
    broken = error;
  };
  client.on('error', markBroken);
  try {
    return await work(
      queryable(client, statements, limit, (error) => {
        markBroken(error);
        if (error.is_read_only) pools.lostServer();
      }),
    );
  } finally {
    client.off('error', markBroken);
    client.release(broken);
  }
}

function queryable(
  client: pg.PoolClient,
  statements: StatementRunner,
  limit: Limit,
  lost: (error: DatabaseUnavailable) => void,
): Queryable {
  const send = async (query: Sql) => {
    try {
      return await statements.run(client, query, limit);
    } catch (thrown) {
      const error = statementError(thrown);
      if (error instanceof DatabaseUnavailable) lost(error);
      throw error;
    }
  };
  return {
    rows: async <T>(query: Sql) => (await send(query)).rows as T[],
    maybe: async <T>(query: Sql) => ((await send(query)).rows[0] as T | undefined) ?? null,
    run: async (query) => (await send(query)).rowCount ?? 0,
  };
}

async function runTransaction<T>(
  client: Queryable,
  work: (tx: Transaction) => Promise<T>,
  is_long: boolean,
): Promise<T> {
  const after_commit: (() => void)[] = [];
  await client.run(sql`begin`);
  let result: T;
  try {
    if (is_long) await client.run(sql`set local statement_timeout = 0`);
    result = await work({ ...client, afterCommit: (action) => after_commit.push(action) });
    await client.run(sql`commit`);
  } catch (error) {
    // A lost connection is closed, which rolls back too; a rollback would only wait for it again.
    if (!(error instanceof DatabaseUnavailable)) await client.run(sql`rollback`).catch(() => {});
    throw error;
  }
  for (const action of after_commit) action();
  return result;
}

/** A deadlock or a serialization failure has rolled everything back, so the work is repeated. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error) || tries === max_tries) throw error;
    }
  }
}
