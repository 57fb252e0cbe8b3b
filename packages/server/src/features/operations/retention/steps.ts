// The steps of retention, in order. Each call handles one batch and can be repeated, so that a crash costs at most one batch.
import type { RetentionKind } from '@parley/contract/operations/retention';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import * as content from './content-store.ts';
import * as rows from './row-store.ts';
import type { Counts } from './store.ts';

export type StepDeps = {
  db: Database;
  clock: Clock;
  storage: Pick<ObjectStorage, 'remove'>;
  /** What people saw when they decided about these records. */
  eraseApprovalContent(
    tx: Transaction,
    of: { organization_id: string; object_ids: readonly string[] },
    now: Date,
  ): Promise<unknown>;
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

const page_objects = 500;
const page_rows = 5000;
const removals_at_once = 8;

export const steps: readonly Step[] = [
  { name: 'recordings', kind: 'recordings', run: eraseRecordings },
  { name: 'emails', kind: 'messages', run: eraseEmails },
  { name: 'sms', kind: 'messages', run: eraseTexts },
  { name: 'calls', kind: 'messages', run: eraseCalls },
  { name: 'email_records', kind: 'records', run: deleting('records', rows.deleteEmails, page_objects) },
  { name: 'sms_records', kind: 'records', run: deleting('records', rows.deleteTexts, page_rows) },
  { name: 'call_records', kind: 'records', run: deleting('records', rows.deleteCalls, page_objects) },
  {
    name: 'conversations',
    kind: 'records',
    run: deleting('conversations', rows.deleteConversations, page_objects),
  },
  // Before their events: no delivery may lose its event.
  { name: 'deliveries', kind: 'events', run: deleting('deliveries', rows.deleteDeliveries, page_rows) },
  { name: 'events', kind: 'events', run: deleting('events', rows.deleteEvents, page_rows) },
  { name: 'quarantine', kind: 'quarantine', run: deleteQuarantined },
  { name: 'requests', kind: 'requests', run: deleting('requests', rows.deleteRequests, page_rows) },
];
export const first_step = steps[0]!.name;

/** A step that deletes the oldest rows until there are none. `reached` says only that there is more. */
function deleting(
  count: keyof Counts,
  run: (db: Database, organization_id: string, before: Date, limit: number) => Promise<number>,
  limit: number,
): Step['run'] {
  return async ({ db }, { organization_id, before }) => {
    const deleted = await run(db, organization_id, before, limit);
    return { reached: deleted < limit ? null : content.nil_position, counts: counted({ [count]: deleted }) };
  };
}

async function eraseRecordings(deps: StepDeps, batch: Batch): Promise<Progress> {
  const page = await content.oldCalls(deps.db, batch, page_objects);
  const found = page.flatMap(({ id, key, is_finished }) =>
    key !== null && is_finished ? [{ id, key }] : [],
  );
  await removeObjects(deps, found);
  await content.forgetRecordings(deps.db, batch, idsOf(found));
  return after(page, batch, page_objects, { recordings: found.length });
}

/** Objects first, rows after them: otherwise a crash would leave an object that no row names. */
async function eraseEmails(deps: StepDeps, batch: Batch): Promise<Progress> {
  const page = await content.oldEmails(deps.db, batch, page_objects);
  const erased = page.filter(({ has_content, is_finished }) => has_content && is_finished);
  const raw = erased.flatMap(({ id, key }) => (key === null ? [] : [{ id, key }]));
  await removeObjects(deps, raw);
  const attachments = await erase(deps, batch, idsOf(erased), content.eraseEmails);
  return after(page, batch, page_objects, {
    emails: erased.length,
    raw_messages: raw.length,
    attachments,
  });
}

async function eraseTexts(deps: StepDeps, batch: Batch): Promise<Progress> {
  const page = await content.oldTexts(deps.db, batch, page_rows);
  const erased = page.filter(({ has_content, is_finished }) => has_content && is_finished);
  await erase(deps, batch, idsOf(erased), content.eraseTexts);
  return after(page, batch, page_rows, { sms: erased.length });
}

async function eraseCalls(deps: StepDeps, batch: Batch): Promise<Progress> {
  const page = await content.oldCalls(deps.db, batch, page_objects);
  const erased = page.filter(({ has_content, is_finished }) => has_content && is_finished);
  await erase(deps, batch, idsOf(erased), content.eraseCalls);
  return after(page, batch, page_objects, { calls: erased.length });
}

/** The content of the records, and the copies of it that other features have. */
const erase = (
  { db, clock, eraseApprovalContent }: StepDeps,
  { organization_id }: Batch,
  ids: readonly string[],
  eraseRecords: (tx: Transaction, records: content.Records) => Promise<number>,
): Promise<number> =>
  db.transaction(async (tx) => {
    if (ids.length === 0) return 0;
    const records = { organization_id, ids, now: clock.now() };
    await content.eraseCopies(tx, records);
    await eraseApprovalContent(tx, { organization_id, object_ids: ids }, records.now);
    return eraseRecords(tx, records);
  });

async function deleteQuarantined(deps: StepDeps, { organization_id, before }: Batch): Promise<Progress> {
  const found = await rows.oldQuarantined(deps.db, organization_id, before, page_objects);
  await removeObjects(
    deps,
    found.flatMap(({ key }) => (key === null ? [] : [{ key }])),
  );
  const deleted = await rows.deleteQuarantined(deps.db, organization_id, idsOf(found));
  const is_last = found.length < page_objects;
  return { reached: is_last ? null : content.nil_position, counts: counted({ quarantine: deleted }) };
}

async function removeObjects({ storage }: StepDeps, objects: readonly { key: string }[]): Promise<void> {
  for (let start = 0; start < objects.length; start += removals_at_once)
    await Promise.all(objects.slice(start, start + removals_at_once).map(({ key }) => storage.remove(key)));
}

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
  if (last === undefined) return { reached: null, counts: counted(counts) };
  const unfinished = page.findIndex(({ is_finished }) => !is_finished);
  const passed = unfinished === -1 ? last : (page[unfinished - 1]?.id ?? position);
  return {
    reached: page.length < limit ? null : last,
    ...(reached === position ? { position: passed } : {}),
    counts: counted(counts),
  };
}

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

const counted = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
