// Runs one statement on a connection. There are two ways: plain, with the driver alone, and fast.
import pg from 'pg';
import { compile, type Sql } from './sql.ts';

/** How long the client waits for the response; without it, as long as it takes. */
export type Limit = { query_timeout?: number };
export type Result = { rows: unknown[]; rowCount: number | null };

/** The same statements give the same results both ways; see statement-runner.test.ts. */
export type StatementRunner = {
  run(client: pg.PoolClient, query: Sql, limit: Limit): Promise<Result>;
  close(): void;
};

// Counters in bigint columns stay below 2^53, and callers expect numbers. Stores select timestamps as text with the SQL
// function iso(), so no Date is created only to be printed.
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** The driver does everything: no prepared statements, arrays as text, every run is planned. */
export const plainStatements = (): StatementRunner => ({
  run(client, query, limit) {
    const { text, values } = compile(query);
    return client.query({ text, values, ...limit });
  },
  close() {},
});
