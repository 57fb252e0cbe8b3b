// The SQL of recordings that are stored after their call.
import type { Database } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';

type RecordedCall = {
  recording_key: string | null;
  ended_at: string | null;
  content_erased_at: string | null;
};

export const recordingStore = (db: Database) => ({
  find: (organization_id: string, id: string) =>
    db.maybe<RecordedCall>(sql`
      select recording_key, iso(ended_at) as ended_at, iso(content_erased_at) as content_erased_at from calls
       where organization_id = ${organization_id} and id = ${id}`),

  /** False when another process was first, or the content was erased. */
  setRecording: async (
    organization_id: string,
    id: string,
    { recording_key, recording_bytes }: { recording_key: string; recording_bytes: number },
  ): Promise<boolean> =>
    (await db.run(sql`
      update calls set recording_key = ${recording_key}, recording_bytes = ${recording_bytes}
       where organization_id = ${organization_id} and id = ${id} and recording_key is null
         and content_erased_at is null and ended_at is not null`)) > 0,
});
