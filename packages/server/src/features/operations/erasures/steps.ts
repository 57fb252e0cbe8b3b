// The steps of an erasure in their order. Each is safe to run twice: a crashed process repeats what it had not saved.
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import type { ErasureDatabase, PersonalData, SomeRecords } from '../../../platform/personal-data.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import { displayNamesOf } from '../../channels/emails/index.ts';
import { queueProjections } from '../../inbox/projector/index.ts';
import type { WaitingRecords } from '../../rules/admission/index.ts';
import { type ConsentRevocations, recipientKey } from '../../rules/consents/index.ts';
import * as remaining from './content/remaining-store.ts';
import * as items from './item-store.ts';
import type { Erased } from './person/erased.ts';
import type { Person } from './person/person.ts';
import type { Counts } from './store.ts';

export type StepDeps = {
  db: ErasureDatabase;
  clock: Clock;
  storage: ObjectStorage;
  partyHash: PartyHash;
  revocations: Pick<ConsentRevocations, 'revokeAll'>;
  waiting: Record<SomeRecords['noun'], Pick<WaitingRecords, 'cancel'>>;
  /** What each feature erases, in the order in which it is done. */
  personal_data: readonly PersonalData[];
  /** Writes search and conversations for all records that are queued. */
  project(): Promise<void>;
  /** Stores the display names of the person with the erasure, before the content is erased. */
  savePerson(erased: Erased, person: Person): Promise<void>;
};

/** `reached`: where the step continues; null when it is done. `wait`: something of the person is still under way. */
export type Progress = { reached: string | null; counts: Counts; wait?: boolean };
export type Step = (deps: StepDeps, erased: Erased, reached: string | null) => Promise<Progress>;

const page_items = 200;
const page_rows = 5000;
const last = (counts: Counts = {}): Progress => ({ reached: null, counts: counted(counts) });

/** Without zeros. */
const counted = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

function add(to: Counts, counts: Counts): void {
  for (const [name, count] of Object.entries(counts) as [keyof Counts, number][])
    to[name] = (to[name] ?? 0) + count;
}

/** In a transaction without the time limit of statements. */
const long = <T>({ db }: StepDeps, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  db.transaction(work, { is_long: true });

const recordsOf = ({ personal_data }: StepDeps) => personal_data.flatMap(({ records }) => records ?? []);

export const steps: readonly (readonly [name: string, run: Step])[] = [
  ['stop_sends', stopSends],
  ['collect', collect],
  ['objects', eraseObjects],
  ['content', eraseContent],
  ['rows', eraseRows],
  ['remaining', eraseRemaining],
  ['search', writeSearch],
];
export const first_step = steps[0]![0];

/** Nothing new leaves for the person, what waits is canceled, and what is under way ends first. */
async function stopSends(deps: StepDeps, erased: Erased): Promise<Progress> {
  const { organization_id, person } = erased;
  // Receivers of events must not get the number or address of somebody who is being erased.
  const shownAs = (party: string) => erased.hashOf(recipientKey(party));
  await deps.db.transaction((tx) =>
    deps.revocations.revokeAll(tx, organization_id, person.parties, { shownAs }),
  );
  for (const records of recordsOf(deps))
    for (const { id } of await items.waitingRecords(deps.db, erased, records))
      await deps.db.transaction((tx) =>
        deps.waiting[records.noun].cancel(tx, { organization_id, id }, 'canceled'),
      );
  return { ...last(), wait: await items.hasActive(deps.db, erased, recordsOf(deps)) };
}

async function collect(deps: StepDeps, erased: Erased): Promise<Progress> {
  const display_names = await displayNamesOf(deps.db, erased);
  await deps.savePerson(erased, { ...erased.person, display_names });
  await long(deps, (tx) => items.collectItems(tx, erased, recordsOf(deps)));
  return last();
}

/** Objects first, rows after them: otherwise a crash would leave an object that no row names. */
async function eraseObjects(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const { organization_id, records } = erased;
  const page = await items.itemsAfter(deps.db, erased, reached, page_items);
  const ids = page.map(({ id }) => id);
  const counts: Counts = {};
  for (const { objects } of deps.personal_data) {
    if (!objects) continue;
    const stored = await objects.of(deps.db, organization_id, ids, records);
    for (const { key } of stored) await deps.storage.remove(key);
    const stored_ids = stored.map(({ id }) => id);
    await deps.db.transaction((tx) => objects.forget(tx, organization_id, stored_ids));
    add(counts, { [objects.count]: stored.length });
  }
  return { reached: page.length < page_items ? null : page.at(-1)!.id, counts: counted(counts) };
}

/** The content of the records, and the copies of it that other features have. */
async function eraseContent(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const page = await items.itemsAfter(deps.db, erased, reached, page_items);
  const counts: Counts = {};
  await deps.db.transaction(async (tx) => {
    for (const { noun, count, eraseContent } of recordsOf(deps)) {
      const ids = page.flatMap((item) => (item.noun === noun ? [item.id] : []));
      if (ids.length === 0) continue;
      const { organization_id, text: replaced_by } = erased;
      const records = { organization_id, noun, ids, now: deps.clock.now(), replaced_by };
      for (const { eraseCopies } of deps.personal_data)
        if (eraseCopies) add(counts, await eraseCopies(tx, records));
      await eraseContent(tx, records);
      add(counts, { [count]: ids.length });
    }
  });
  return { reached: page.length < page_items ? null : page.at(-1)!.id, counts: counted(counts) };
}

/** Other rows of each feature. `reached` is the feature and where its page begins, such as "operations/events 0192…". */
async function eraseRows(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  // What is queued for the projector would be written after the rows were cleaned.
  if (reached === null) await deps.project();
  const [owner, after = null] = reached?.split(' ') ?? [];
  const index = Math.max(
    0,
    deps.personal_data.findIndex((each) => each.owner === owner),
  );
  const { erase, erasePage, ...each } = deps.personal_data[index]!;
  const counts = erase ? { ...(await long(deps, (tx) => erase(tx, erased))) } : {};
  const removeObjects = async (keys: readonly string[]) => {
    for (const key of keys) await deps.storage.remove(key);
  };
  const page = await erasePage?.({ db: deps.db, removeObjects }, erased, after);
  if (page) add(counts, page.counts);
  const next = page?.reached ? `${each.owner} ${page.reached}` : deps.personal_data[index + 1]?.owner;
  return { reached: next ?? null, counts: counted(counts) };
}

/** The request that erases and its dry run are stored themselves. */
const uncounted_tables: ReadonlySet<string> = new Set(['public.idempotency_keys']);

/** `reached` is the table and the last id of a range, such as "public.emails 0192…". */
async function eraseRemaining(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const tables = await remaining.searchedTables(deps.db);
  const [name, after = null] = reached?.split(' ') ?? [tables[0]!.name];
  // A table that a release removed in between is skipped.
  const index = tables.findIndex((table) => table.name >= name!);
  const table = tables[index];
  if (!table) return last();
  const until = await long(deps, (tx) => remaining.rangeEnd(tx, table, erased, after, page_rows));
  const range = { after, until };
  const count = await remaining.replaceInRange(deps.db, table, erased, range);
  const other_rows = uncounted_tables.has(table.name) ? 0 : count;
  const next = until === null ? (tables[index + 1]?.name ?? '~') : `${table.name} ${until}`;
  return { reached: next, counts: counted({ other_rows }) };
}

/** Search and conversations are written again from the records as they are now. */
async function writeSearch(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const page = await items.itemsAfter(deps.db, erased, reached, page_rows);
  await queueProjections(
    deps.db,
    page.map(({ noun, id }) => ({ organization_id: erased.organization_id, noun, id })),
  );
  await deps.project();
  return { ...last(), reached: page.length < page_rows ? null : page.at(-1)!.id };
}
