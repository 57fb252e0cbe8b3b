// The door to PostgreSQL: queries with prepared statements, transactions, and one error for "it is away".
import pg from 'pg';
import { untilCut } from '../drain.ts';
import { type ArrayKind, arrayBytes } from './array-bytes.ts';
import { arrayLiteral } from './array-literal.ts';
import { isSimple, PreparedQuery } from './prepared-query.ts';
import { compile, type Sql, type Statement } from './sql.ts';

export type Row = Record<string, unknown>;

/** Where SQL can be run: on any connection, or inside a transaction. */
export type Queryable = {
  rows<T = Row>(query: Sql): Promise<T[]>;
  /** The first row, or null. */
  maybe<T = Row>(query: Sql): Promise<T | null>;
  /** How many rows were touched. */
  run(query: Sql): Promise<number>;
};

export type Transaction = Queryable & {
  /** Runs once the transaction is committed; never when it is rolled back. */
  afterCommit(action: () => void): void;
};

export type Database = Queryable & {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** One connection for work that needs a session, such as an advisory lock. It may wait as long as it must. */
  session<T>(work: (session: Queryable) => Promise<T>): Promise<T>;
  pool: pg.Pool;
  /** Waits for the queries under way, until the cut. */
  close(cut?: AbortSignal): Promise<void>;
};

/** The database cannot be reached or is not taking work; the same request can succeed later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  /** The statement was sent and no answer came back: the server may have committed it. */
  may_be_committed = false;
}

// 57014: the statement took too long; 57P0x: the server is going down, crashed or starting; 53300: no connection
// left; class 08: connection trouble.
const awayCodes = new Set([
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
const awayMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|The server does not support|Query read timeout)/;

export function databaseError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: string }).code ?? '';
  if (awayCodes.has(code) || code.startsWith('08') || awayMessages.test(error.message)) {
    return new DatabaseUnavailable(wordsOf(error), { cause: error });
  }
  return error;
}

/** Node gives a host with several addresses, all of which refused, an error without a message. */
const wordsOf = (error: Error & { code?: string }) => error.message || error.code || error.name;

/** An error that the server sent, such as a canceled statement; any other one means that the connection broke. */
const isServerError = (error: unknown): boolean => error instanceof pg.DatabaseError;

/** Whether an error says that one of these constraints or unique indexes stands against it. */
export const violates = (error: unknown, ...constraints: string[]): boolean =>
  constraints.includes((error as { constraint?: string } | null)?.constraint ?? '');

/** Serialization failures and deadlocks: the loser may simply try again. */
const isContention = (error: unknown) =>
  ['40001', '40P01'].includes((error as { code?: string })?.code ?? '');

// bigint counters stay well below 2^53 here, and numbers are what callers expect. Stores select timestamps as
// text with the SQL function iso(), so that no Date is built only to be printed.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** An array is written here, everything else by the driver. */
const parameter = (value: unknown, kind: ArrayKind | undefined) =>
  Array.isArray(value) ? ((kind && arrayBytes(value, kind)) ?? arrayLiteral(value) ?? value) : value;

export type DatabaseOptions = {
  url: string;
  max_connections: number;
  connect_timeout_ms?: number;
  query_timeout_ms?: number;
  onError?: (error: Error) => void;
};

/** A server that is only slow gets this long to say so itself, before it is taken for one that hangs. */
const grace_ms = 1000;

export function openDatabase(options: DatabaseOptions): Database {
  const query_timeout_ms = options.query_timeout_ms ?? 30_000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max_connections,
    connectionTimeoutMillis: options.connect_timeout_ms ?? 5000,
    idleTimeoutMillis: 60_000,
    statement_timeout: query_timeout_ms,
    keepAlive: true,
    application_name: 'parley',
    types,
  });
  // An idle connection that breaks is replaced by the pool; without a listener the process would end. Only the words
  // are passed on: the error itself carries the whole client, with the secret that can cancel its queries.
  pool.on('error', (error) => options.onError?.(new DatabaseUnavailable(wordsOf(error))));

  // A connection that was given up can still bring bad news, and nobody listens to it any more: that must not end the process.
  pool.on('connect', (client) => client.on('error', () => {}));

  // Prepared statements halve the cost of a small query; the cap bounds memory in every server connection.
  const names = new Map<string, string>();
  const prepared = (statement: Statement) => {
    // Without values pg uses the simple protocol, which alone can run a migration of several statements.
    if (statement.values.length === 0) return statement;
    let name = names.get(statement.text);
    if (!name && names.size < 500) {
      name = `s${names.size}`;
      names.set(statement.text, name);
    }
    return name ? { name, ...statement } : statement;
  };

  // The name changes with every doubling of the runs: a connection that meets a new name asks for a new plan.
  const runs = new Map<string, number>();
  const preparedAnew = (statement: Statement) => {
    const named = prepared(statement);
    if (!('name' in named)) return named;
    const count = (runs.get(named.name) ?? 0) + 1;
    runs.set(named.name, count);
    return { ...named, name: `${named.name}_${Math.floor(Math.log2(count))}` };
  };

  // One look at all of them now and then costs less than a timer for each: it is the server that ends what is slow, and
  // this is for one that says nothing at all.
  const underWay = new Map<(error: Error) => void, number>();
  const watch = setInterval(() => {
    for (const [settle, due] of underWay)
      if (due <= performance.now()) settle(new Error('Query read timeout'));
  }, grace_ms / 2);
  watch.unref();

  type Limit = { query_timeout?: number };
  const planned = { never: prepared, rarely: preparedAnew, always: (statement: Statement) => statement };
  const ask = async (client: pg.PoolClient, statement: Statement & { name?: string }, limit: Limit) => {
    const { name, text, values } = statement;
    if (name === undefined || !values.every(isSimple)) return client.query({ ...statement, ...limit });
    const query = new PreparedQuery({ name, text, values }, types);
    const due = limit.query_timeout === undefined ? null : performance.now() + limit.query_timeout;
    await new Promise<void>((resolve, reject) => {
      const settle = (error: Error | null) => {
        underWay.delete(settle);
        if (error) reject(error);
        else resolve();
      };
      if (due !== null) underWay.set(settle, due);
      query.callback = settle;
      client.query(query);
    });
    return query;
  };
  const on = (
    client: pg.PoolClient,
    limit: Limit,
    lost?: (error: DatabaseUnavailable) => void,
  ): Queryable => {
    const send = async (query: Sql) => {
      try {
        const { text, arrays, values } = compile(query);
        const written = values.map((value, index) => parameter(value, arrays[index]));
        const statement = planned[query.replanned ?? 'never']({ text, values: written });
        return await ask(client, statement, limit);
      } catch (thrown) {
        const error = databaseError(thrown);
        if (error instanceof DatabaseUnavailable) {
          error.may_be_committed = !isServerError(thrown);
          lost?.(error);
        }
        throw error;
      }
    };
    return {
      rows: async <T>(query: Sql) => (await send(query)).rows as T[],
      maybe: async <T>(query: Sql) => ((await send(query)).rows[0] as T | undefined) ?? null,
      run: async (query) => (await send(query)).rowCount ?? 0,
    };
  };

  const connect = async () => {
    try {
      return await pool.connect();
    } catch (error) {
      throw databaseError(error);
    }
  };

  const bounded: Limit = { query_timeout: query_timeout_ms + grace_ms };
  const withClient = async <T>(limit: Limit, work: (client: Queryable) => Promise<T>): Promise<T> => {
    const client = await connect();
    let broken: Error | undefined;
    const note = (error: Error) => {
      broken = error;
    };
    client.on('error', note);
    try {
      return await work(on(client, limit, note));
    } finally {
      client.off('error', note);
      client.release(broken);
    }
  };

  const attempt = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    withClient(bounded, async (client) => {
      const committed: (() => void)[] = [];
      await client.run(begin);
      let result: T;
      try {
        result = await work({ ...client, afterCommit: (action) => committed.push(action) });
        await client.run(commit);
      } catch (error) {
        // A lost connection is dropped, which undoes the work as well; a rollback would only wait for it again.
        if (!(error instanceof DatabaseUnavailable)) await client.run(rollback).catch(() => {});
        throw error;
      }
      for (const action of committed) action();
      return result;
    });

  // Not pool.query: it throws a connection away with every SQL error, such as a duplicate that we expect.
  const once = <T>(ask: (client: Queryable) => Promise<T>) => repeated(() => withClient(bounded, ask));

  return {
    rows: <T>(query: Sql) => once((client) => client.rows<T>(query)),
    maybe: <T>(query: Sql) => once((client) => client.maybe<T>(query)),
    run: (query) => once((client) => client.run(query)),
    pool,
    session: (work) => withClient({}, work),
    transaction: (work) => repeated(() => attempt(work)),
    async close(cut) {
      clearInterval(watch);
      await untilCut(pool.end(), cut);
    },
  };
}

/** A deadlock or a serialization failure has undone everything: the loser may simply try again. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error) || tries === 3) throw error;
    }
  }
}

const statement = (text: string): Sql => ({ strings: [text], values: [] });
const begin = statement('begin');
const commit = statement('commit');
const rollback = statement('rollback');
