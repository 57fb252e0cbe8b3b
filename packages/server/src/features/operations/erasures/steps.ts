// The steps of an erasure in their order. Each is safe to run twice: a crashed process repeats what it had not saved.
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { WaitingRecords } from '../../rules/admission/index.ts';
import { type ConsentRevocations, recipientKey } from '../../rules/consents/index.ts';
import * as content from './content/content-store.ts';
import * as derived from './content/derived-store.ts';
import { hashRefusals } from './content/refusal-store.ts';
import * as remaining from './content/remaining-store.ts';
import * as items from './item-store.ts';
import type { Erased, ErasureDatabase } from './person/erased.ts';
import { keysOf, type Person } from './person/person.ts';
import type { Counts } from './store.ts';

export type StepDeps = {
  db: ErasureDatabase;
  clock: Clock;
  storage: ObjectStorage;
  partyHash: PartyHash;
  revocations: Pick<ConsentRevocations, 'revokeAll'>;
  waiting: Record<'email' | 'sms' | 'call', Pick<WaitingRecords, 'cancel'>>;
  /** Writes search and conversations for all records that are queued. */
  project(): Promise<void>;
  /** Stores the display names of the person with the erasure, before the content is erased. */
  savePerson(erased: Erased, person: Person): Promise<void>;
};

/** `reached`: where the step continues; null when it is done. `wait`: something of the person is still under way. */
export type Progress = { reached: string | null; counts: Counts; wait?: boolean };
export type Step = (deps: StepDeps, erased: Erased, reached: string | null) => Promise<Progress>;

const page_items = 200;
const page_messages = 500;
const page_rows = 5000;
const last = (counts: Counts = {}): Progress => ({ reached: null, counts });

/** In a transaction without the time limit of statements. */
const long = <T>({ db }: StepDeps, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  db.transaction(work, { is_long: true });

export const steps: readonly (readonly [name: string, run: Step])[] = [
  ['stop_sends', stopSends],
  ['collect', collect],
  ['objects', eraseObjects],
  ['raw_messages', eraseRawMessages],
  ['content', eraseContent],
  ['events', eraseEvents],
  [
    'deliveries',
    async (deps, erased) =>
      last(content.counted({ deliveries: await long(deps, (tx) => derived.eraseDeliveries(tx, erased)) })),
  ],
  ['derived', eraseDerived],
  [
    'receipts',
    async (deps, erased) =>
      last(
        content.counted({ receipts_unlinked: await long(deps, (tx) => derived.unlinkReceipts(tx, erased)) }),
      ),
  ],
  ['consents', eraseConsents],
  [
    'contact',
    async ({ db }, erased) =>
      last(content.counted({ contacts: await db.transaction((tx) => derived.deleteContacts(tx, erased)) })),
  ],
  ['remaining', eraseRemaining],
  ['search', writeSearch],
];
export const first_step = steps[0]![0];

/** Nothing new leaves for the person, what waits is canceled, and what is under way ends first. */
async function stopSends(deps: StepDeps, erased: Erased): Promise<Progress> {
  const { organization_id, person } = erased;
  // Receivers of events must not get the number or address of somebody who is being erased.
  const shownAs = (party: string) => deps.partyHash(organization_id, recipientKey(party));
  await deps.db.transaction((tx) =>
    deps.revocations.revokeAll(tx, organization_id, person.parties, { shownAs }),
  );
  for (const { noun, id } of await items.waitingRecords(deps.db, erased))
    await deps.db.transaction((tx) => deps.waiting[noun].cancel(tx, { organization_id, id }, 'canceled'));
  return { ...last(), wait: await items.hasActive(deps.db, erased) };
}

async function collect(deps: StepDeps, erased: Erased): Promise<Progress> {
  const display_names = await items.displayNamesOf(deps.db, erased);
  await deps.savePerson(erased, { ...erased.person, display_names });
  await long(deps, (tx) => items.collectItems(tx, erased));
  return last();
}

/** Objects first, rows after them: otherwise a crash would leave an object that no row names. */
async function eraseObjects(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const page = await content.itemsAfter(deps.db, erased, reached, page_items);
  const objects = await content.objectsOf(
    deps.db,
    erased,
    page.map(({ id }) => id),
  );
  for (const { key } of [...objects.recordings, ...objects.attachments]) await deps.storage.remove(key);
  await deps.db.transaction((tx) => content.forgetObjects(tx, erased, objects));
  const counts = content.counted({
    recordings: objects.recordings.length,
    attachments: objects.attachments.length,
  });
  return { reached: page.length < page_items ? null : page.at(-1)!.id, counts };
}

async function eraseRawMessages(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const page = await content.rawMessages(deps.db, erased, reached, page_messages);
  const found = page.flatMap(({ id, key }) => (key === null ? [] : [{ id, key }]));
  for (const { key } of found) await deps.storage.remove(key);
  await content.forgetRawMessages(
    deps.db,
    erased,
    found.map(({ id }) => id),
  );
  return {
    reached: page.length < page_messages ? null : page.at(-1)!.id,
    counts: content.counted({ raw_messages: found.length }),
  };
}

async function eraseContent(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const page = await content.itemsAfter(deps.db, erased, reached, page_items);
  const counts = await deps.db.transaction((tx) => content.eraseContent(tx, erased, page, deps.clock.now()));
  return { reached: page.length < page_items ? null : page.at(-1)!.id, counts };
}

async function eraseEvents(deps: StepDeps, erased: Erased, reached: string | null): Promise<Progress> {
  const done = await long(deps, (tx) => derived.eraseEvents(tx, erased, reached, page_rows));
  return { reached: done.reached, counts: content.counted({ events: done.events }) };
}

/** What is queued for the projector would be written after the rows were cleaned. */
async function eraseDerived(deps: StepDeps, erased: Erased): Promise<Progress> {
  await deps.project();
  return last(await long(deps, (tx) => derived.eraseDerived(tx, erased)));
}

async function eraseConsents(deps: StepDeps, erased: Erased): Promise<Progress> {
  const proofs = await content.consentProofs(deps.db, erased, keysOf(erased.person));
  for (const { key } of proofs) await deps.storage.remove(key);
  const consents = await deps.db.transaction(async (tx) => {
    const hashed = await hashRefusals(tx, erased, deps.partyHash);
    await content.forgetObjects(tx, erased, { recordings: [], attachments: proofs });
    return hashed;
  });
  return last(content.counted({ consents, attachments: proofs.length }));
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
  if (!table) {
    return last(content.counted({ other_rows: await remaining.replaceInJobs(deps.db, erased) }));
  }
  const until = await long(deps, (tx) => remaining.rangeEnd(tx, table, erased, after, page_rows));
  const range = { after, until };
  const count = await remaining.replaceInRange(deps.db, table, erased, range);
  const other_rows = uncounted_tables.has(table.name) ? 0 : count;
  const next = until === null ? (tables[index + 1]?.name ?? '~') : `${table.name} ${until}`;
  return { reached: next, counts: content.counted({ other_rows }) };
}

async function writeSearch(deps: StepDeps, erased: Erased): Promise<Progress> {
  await deps.db.transaction((tx) => derived.queueItems(tx, erased));
  await deps.project();
  return last();
}
