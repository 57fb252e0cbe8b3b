// A database in which a test can run its own code before or after a certain statement, to provoke races.
import type { Database } from '../src/platform/db/database.ts';
import { compile, type Sql } from '../src/platform/db/sql.ts';
import { openTestDatabase } from './database.ts';

type Disturbance = { statement: RegExp; before?: () => Promise<void>; after?: () => Promise<void> };

/**
 * For the options of `startTestApp`, which closes it after the app. `next` disturbs the next statement that matches, once;
 * in a transaction only one that reads a single row.
 * `watched.most` is how many transactions in which a statement matched `watch` were open at the same time.
 */
export async function disturbedDatabase(watch = /(?!)/) {
  const { db, close } = await openTestDatabase();
  let waiting: Disturbance | null = null;
  let open = 0;
  const watched = { most: 0 };
  const disturbed = async <T>(query: Sql, execute: () => Promise<T>): Promise<T> => {
    const matched = waiting?.statement.test(compile(query).text) ? waiting : null;
    if (matched) waiting = null;
    await matched?.before?.();
    const result = await execute();
    await matched?.after?.();
    return result;
  };
  const port: Database = {
    ...db,
    close,
    run: (query) => disturbed(query, () => db.run(query)),
    rows: (query) => disturbed(query, () => db.rows(query)),
    maybe: (query) => disturbed(query, () => db.maybe(query)),
    async transaction(work) {
      let is_watched = false;
      const watchStatement = (query: Sql) => {
        if (is_watched || !watch.test(compile(query).text)) return;
        is_watched = true;
        watched.most = Math.max(watched.most, ++open);
      };
      try {
        return await db.transaction((tx) =>
          work({
            ...tx,
            maybe(query) {
              watchStatement(query);
              return disturbed(query, () => tx.maybe(query));
            },
          }),
        );
      } finally {
        if (is_watched) open--;
      }
    },
  };
  return {
    db: port,
    watched,
    next(disturbance: Disturbance) {
      waiting = disturbance;
    },
  };
}
