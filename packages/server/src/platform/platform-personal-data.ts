// Removes an erased person from stored answers and from jobs.
import { sql } from './db/sql.ts';
import type { PersonalData } from './personal-data.ts';

export const platformPersonalData: PersonalData = {
  owner: 'platform',
  tables: {
    idempotency_keys: { erased: '*' },
    trace_contexts: { kept: { 'ids of traces': 'traceparent' } },
  },
  async erase(tx, { organization_id, pattern, replace, namesRecord }) {
    await tx.run(sql`
      delete from idempotency_keys k
       where organization_id = ${organization_id} and body is not null and ${namesRecord(sql`k.body`)}`);
    // Jobs have no organization of their own.
    const jobs = await tx.rows<{ id: string; payload: string }>(sql`
      select id, payload::text as payload from jobs
       where payload ->> 'organization_id' = ${organization_id} and payload::text ~* ${pattern}`);
    let other_rows = 0;
    for (const { id, payload } of jobs)
      if (replace(payload) !== payload)
        other_rows += await tx.run(sql`
          update jobs set payload = ${replace(payload)}::jsonb where id = ${id} and payload::text = ${payload}`);
    return { other_rows };
  },
};
