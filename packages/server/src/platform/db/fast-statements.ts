// The fast way to run statements: prepared once per connection, array parameters in PostgreSQL's binary format, and one
// write per statement. PARLEY_DATABASE_PLAIN=on switches to the plain way.
import type pg from 'pg';
import { type ArrayKind, arrayBytes } from './array-bytes.ts';
import { arrayLiteral } from './array-literal.ts';
import { isSimple, PreparedQuery } from './prepared-query.ts';
import { compile, type Sql } from './sql.ts';
import { type Limit, type StatementRunner, types } from './statement-runner.ts';

type Statement = { text: string; values: unknown[]; name?: string };

/** Bounds the memory of every server connection. */
const max_prepared = 500;
const check_every_ms = 500;

export function fastStatements(): StatementRunner {
  const name = statementNames();
  const deadlines = statementDeadlines();
  return {
    async run(client, query, limit) {
      const { text, arrays, values } = compile(query);
      const parameters = values.map((value, index) => parameter(value, arrays[index]));
      const statement = name(query, { text, values: parameters });
      if (statement.name === undefined || !parameters.every(isSimple))
        return client.query({ ...statement, ...limit });
      const prepared = new PreparedQuery({ name: statement.name, text, values: parameters }, types);
      await deadlines.run(client, prepared, limit);
      return prepared;
    },
    close: deadlines.close,
  };
}

/** Arrays are written here; the driver writes everything else. */
const parameter = (value: unknown, kind: ArrayKind | undefined) =>
  Array.isArray(value) ? ((kind && arrayBytes(value, kind)) ?? arrayLiteral(value) ?? value) : value;

/** Names statements: a connection prepares and plans a statement whose name it meets for the first time. */
function statementNames(): (query: Sql, statement: Statement) => Statement {
  const names = new Map<string, string>();
  const runs = new Map<string, number>();

  const nameOf = ({ text, values }: Statement): string | undefined => {
    // Without values the driver uses the simple protocol, which alone can run a migration of several statements.
    if (values.length === 0) return undefined;
    let name = names.get(text);
    if (!name && names.size < max_prepared) {
      name = `s${names.size}`;
      names.set(text, name);
    }
    return name;
  };

  return (query, statement) => {
    const name = query.replanned === 'always' ? undefined : nameOf(statement);
    if (name === undefined) return statement;
    if (query.replanned !== 'rarely') return { ...statement, name };
    // The name changes whenever the number of runs has doubled, so the statement is planned again.
    const count = (runs.get(name) ?? 0) + 1;
    runs.set(name, count);
    return { ...statement, name: `${name}_${Math.floor(Math.log2(count))}` };
  };
}

/**
 * Time limits of running statements. One timer checks all of them, which costs less than a timer for each: usually the server
 * itself cancels a slow statement, and this is only for a server that does not respond at all.
 */
function statementDeadlines() {
  const running = new Map<(error: Error) => void, number>();
  const timer = setInterval(() => {
    for (const [settle, due] of running)
      if (due <= performance.now()) settle(new Error('Query read timeout'));
  }, check_every_ms).unref();

  return {
    run: (client: pg.PoolClient, query: PreparedQuery, { query_timeout }: Limit) =>
      new Promise<void>((resolve, reject) => {
        const settle = (error: Error | null) => {
          running.delete(settle);
          if (error) reject(error);
          else resolve();
        };
        if (query_timeout !== undefined) running.set(settle, performance.now() + query_timeout);
        query.callback = settle;
        client.query(query);
      }),
    close: () => clearInterval(timer),
  };
}
