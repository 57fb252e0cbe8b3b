// The SQL of changed rights: one number for all of them, and what each number is about.
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type ChangesSince = { version: number; changes: { version: number; subject: string }[] };

export const credentialChangeStore = (db: Database) => ({
  /** The newest version, and at most `limit` of the changes after the version that was seen. */
  since: async (seen: number, limit: number): Promise<ChangesSince> =>
    (await db.maybe<ChangesSince>(sql`
      select c.version, coalesce((
        select json_agg(json_build_object('version', l.version, 'subject', l.subject)) from (
          select version, subject from credential_change_log where version > ${seen} order by version limit ${limit}) l), '[]')
        as changes
        from credential_changes c`))!,

  /** The lock of the one row makes changes commit in the order of their numbers. */
  async insert(tx: Transaction, subjects: readonly string[], now: Date): Promise<void> {
    const count = subjects.length;
    await tx.run(sql`
      with raised as (update credential_changes set version = version + ${count} returning version - ${count} as before)
      insert into credential_change_log (version, subject, changed_at)
      select raised.before + s.position, s.subject, ${now}
        from raised, unnest(${subjects}::text[]) with ordinality as s (subject, position)`);
  },

  async deleteBefore(time: Date): Promise<void> {
    await db.run(sql`delete from credential_change_log where changed_at < ${time}`);
  },
});
