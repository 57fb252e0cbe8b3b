// A database port that a test can disturb: something happens before, after or instead of a statement it knows by its words.
import { after } from 'node:test';
import type { Database } from '../src/platform/db/database.ts';
import { compile, type Sql } from '../src/platform/db/sql.ts';
import { openTestDatabase } from './database.ts';

type Disturbance = { words: RegExp; before?: () => Promise<void>; after?: () => Promise<void> };

/**
 * `next` disturbs the next statement that matches, once. `watched.most` is how many transactions in which a statement
 * matched `watch` were open at the same time.
 */
export async function disturbedDatabase(watch = /(?!)/) {
  const { db, close } = await openTestDatabase();
  after(close);
  let waiting: Disturbance | null = null;
  let open = 0;
  const watched = { most: 0 };
  const disturbed = async <T>(query: Sql, ask: () => Promise<T>): Promise<T> => {
    const meant = waiting?.words.test(compile(query).text) ? waiting : null;
    if (meant) waiting = null;
    await meant?.before?.();
    const answer = await ask();
    await meant?.after?.();
    return answer;
  };
  const port: Database = {
    ...db,
    run: (query) => disturbed(query, () => db.run(query)),
    rows: (query) => disturbed(query, () => db.rows(query)),
    maybe: (query) => disturbed(query, () => db.maybe(query)),
    async transaction(work) {
      let is_meant = false;
      const see = (query: Sql) => {
        if (is_meant || !watch.test(compile(query).text)) return;
        is_meant = true;
        watched.most = Math.max(watched.most, ++open);
      };
      try {
        return await db.transaction((tx) =>
          work({
            ...tx,
            maybe(query) {
              see(query);
              return tx.maybe(query);
            },
          }),
        );
      } finally {
        if (is_meant) open--;
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
