// The steps of retention, in order. Each call handles one batch and can be repeated, so that a crash costs at most one batch.
import { nil_uuid } from '@parley/contract/limits';
import type { RetentionKind } from '@parley/contract/operations/retention';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type {
  ForgottenRows,
  OldRecord,
  PersonalData,
  PersonalRecords,
  RecordObjects,
} from '../../../platform/personal-data.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { Counts } from './store.ts';

export type StepDeps = {
  db: Database;
  clock: Clock;
  storage: Pick<ObjectStorage, 'remove'>;
  /** What each feature erases and deletes. */
  personal_data: readonly PersonalData[];
};

/** `position`: all rows up to this id were handled by earlier runs. `reached`: the same for this run, without unfinished rows. */
export type Batch = {
  organization_id: string;
  before: Date;
  position: string | null;
  reached: string | null;
};
/** `reached` null: the step is done. `position` undefined: unchanged. */
export type Progress = { reached: string | null; position?: string | null; counts: Counts };
export type Step = {
  name: string;
  kind: RetentionKind;
  run(deps: StepDeps, batch: Batch): Promise<Progress>;
};

/** With objects, and without. */
const [page_objects, page_rows] = [500, 5000];
export const first_step = 'recordings';
const removals_at_once = 8;
/** A step that deletes the oldest rows until there are none needs no position. */
const from_start = nil_uuid;

/** What else is deleted. Deliveries come before their events: none may lose its event. */
const other_steps = ['conversations', 'deliveries', 'events', 'quarantine', 'requests'];

export function stepsOf(personal_data: readonly PersonalData[]): Step[] {
  const with_records = personal_data.flatMap(({ records, objects = null }) =>
    records ? [{ records, objects }] : [],
  );
  const forgotten = personal_data.flatMap(({ forget }) => forget ?? []);
  const recordings = with_records.filter(({ objects }) => objects?.count === 'recordings');
  return [
    ...recordings.map(({ records, objects }) => recordingStep(records, objects!)),
    ...with_records.map(({ records, objects }) => contentStep(records, objects)),
    ...with_records.map(({ records }) => recordStep(records)),
    ...other_steps.map((name) => forgetStep(forgotten.find(({ step }) => step === name)!)),
  ];
}

const recordingStep = (records: PersonalRecords, objects: RecordObjects): Step => ({
  name: first_step,
  kind: 'recordings',
  async run(deps, batch) {
    const page = await records.old(deps.db, batch, page_objects);
    const recordings = await forgetObjects(deps, objects, batch, finished(page));
    return after(page, batch, page_objects, { recordings });
  },
});

/** The content of the records, and the copies of it that other features have. */
const contentStep = (records: PersonalRecords, objects: RecordObjects | null): Step => ({
  name: records.count,
  kind: 'messages',
  async run(deps, batch) {
    const limit = objects ? page_objects : page_rows;
    const page = await records.old(deps.db, batch, limit);
    const ids = finished(page.filter(({ has_content }) => has_content));
    const counts: Counts = { [records.count]: ids.length };
    // Recordings have a period of their own.
    if (objects?.count === 'raw_messages')
      counts.raw_messages = await forgetObjects(deps, objects, batch, ids);
    if (ids.length > 0)
      counts.attachments = await deps.db.transaction(async (tx) => {
        const { organization_id } = batch;
        const erased = { organization_id, noun: records.noun, ids, now: deps.clock.now(), replaced_by: null };
        for (const each of deps.personal_data) await each.eraseCopies?.(tx, erased);
        return records.eraseContent(tx, erased);
      });
    return after(page, batch, limit, counts);
  },
});

const recordStep = (records: PersonalRecords): Step => ({
  name: `${records.noun}_records`,
  kind: 'records',
  async run(deps, batch) {
    const { deleted, is_last } = await records.deleteOld(deps.db, batch, deleteCopies(deps));
    return { reached: is_last ? null : from_start, counts: withoutZeros({ records: deleted }) };
  },
});

const forgetStep = ({ step, kind, count, page_rows: limit, deleteOld }: ForgottenRows): Step => ({
  name: step,
  kind,
  async run(deps, { organization_id, before }) {
    const on = {
      db: deps.db,
      removeObjects: (keys: readonly string[]) => removeObjects(deps, keys),
      deleteCopies: deleteCopies(deps),
    };
    const deleted = await deleteOld(on, organization_id, before, limit);
    return { reached: deleted < limit ? null : from_start, counts: withoutZeros({ [count]: deleted }) };
  },
});

const deleteCopies =
  ({ personal_data }: StepDeps) =>
  async (tx: Transaction, organization_id: string, ids: readonly string[]): Promise<void> => {
    for (const each of personal_data) await each.deleteCopies?.(tx, organization_id, ids);
  };

/** Objects first, rows after them: otherwise a crash would leave an object that no row names. */
async function forgetObjects(
  deps: StepDeps,
  objects: RecordObjects,
  { organization_id }: Batch,
  ids: readonly string[],
): Promise<number> {
  const stored = await objects.of(deps.db, organization_id, ids);
  await removeObjects(
    deps,
    stored.map(({ key }) => key),
  );
  await objects.forget(
    deps.db,
    organization_id,
    stored.map(({ id }) => id),
  );
  return stored.length;
}

async function removeObjects({ storage }: StepDeps, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += removals_at_once)
    await Promise.all(keys.slice(start, start + removals_at_once).map((key) => storage.remove(key)));
}

const finished = (page: readonly OldRecord[]): string[] =>
  page.flatMap(({ id, is_finished }) => (is_finished ? [id] : []));

/**
 * Where the step continues. The position of later runs stays before the oldest record that is not finished, such as a text
 * that is scheduled, so that they find it again.
 */
function after(
  page: readonly { id: string; is_finished: boolean }[],
  { reached, position }: Batch,
  limit: number,
  counts: Counts,
): Progress {
  const last = page.at(-1)?.id;
  if (last === undefined) return { reached: null, counts: withoutZeros(counts) };
  const unfinished = page.findIndex(({ is_finished }) => !is_finished);
  const passed = unfinished === -1 ? last : (page[unfinished - 1]?.id ?? position);
  return {
    reached: page.length < limit ? null : last,
    ...(reached === position ? { position: passed } : {}),
    counts: withoutZeros(counts),
  };
}

const withoutZeros = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
