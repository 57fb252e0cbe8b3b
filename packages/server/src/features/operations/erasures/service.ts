// The operations on erasures: begin one, count for a dry run, and begin those again that a restored backup does not know.
import type { Erasure, ErasureCreate } from '@parley/contract/operations/erasures';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import { type Context, isPerson } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { recipientKey } from '../../rules/consents/index.ts';
import { dryRun } from './dry-run/dry-run.ts';
import { isFullName, keysOf, type Person } from './person/person.ts';
import { first_step, type StepDeps } from './steps.ts';
import type { ErasureRow, ErasureStore } from './store.ts';
import { erase_job, jobKey, sealContext } from './worker.ts';

export type ServiceDeps = Omit<StepDeps, 'db' | 'savePerson'> & {
  db: Database;
  ids: Ids;
  sealer: Sealer;
  audit: AuditLog;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  store: ErasureStore;
};

/** It cannot be undone, so no program may do it. */
function requireOwner({ caller }: Context): void {
  if (!isPerson(caller) || caller.role === 'member') throw new ApiError('person_required');
}

export const erasureService = (deps: ServiceDeps) => ({
  async create(context: Context, input: ErasureCreate): Promise<Erasure> {
    requireOwner(context);
    const { contact_id = null, parties, names, keep_suppression, dry_run } = input;
    const { organization_id } = context;
    const person = await resolvePerson(deps, organization_id, { contact_id, parties, names });
    if (!dry_run) return begin(deps, context, { contact_id, person, keep_suppression });
    const id = deps.ids.next();
    const { counts, display_names, settings } = await dryRun(deps, {
      ...{ organization_id, id, contact_id, person, keep_suppression },
    });
    return {
      ...{ id, organization_id, status: 'pending', dry_run, contact_id, keep_suppression, counts },
      parties: [...person.parties],
      names: [...person.names],
      ...{ display_names, settings },
      party_hashes: hashesOf(deps, organization_id, person),
      step: null,
      created_at: deps.clock.now().toISOString(),
      started_at: null,
      done_at: null,
    };
  },

  async get(organization_id: string, id: string): Promise<Erasure> {
    const row = await deps.store.find(organization_id, id);
    if (!row) throw new ApiError('not_found');
    return presented(deps, row);
  },

  list: deps.store.list,

  /** People whose hashes are not found are not in the restored data. */
  async replay(
    context: Context,
    erasures: readonly { party_hashes: readonly string[]; keep_suppression: boolean }[],
  ): Promise<{ items: Erasure[] }> {
    requireOwner(context);
    const { organization_id } = context;
    const parties = new Map<string, string>();
    const recorded = deps.personal_data.flatMap(({ records }) => records?.parties(organization_id) ?? []);
    for (const party of await deps.store.allParties(deps.db, organization_id, recorded))
      parties.set(deps.partyHash(organization_id, recipientKey(party)), party);
    const items: Erasure[] = [];
    for (const { party_hashes, keep_suppression } of erasures) {
      const found = party_hashes.flatMap((hash) => parties.get(hash) ?? []);
      if (found.length === 0) continue;
      const person = await resolvePerson(deps, organization_id, { parties: found });
      items.push(await begin(deps, context, { contact_id: null, person, keep_suppression }));
    }
    return { items };
  },
});
export type ErasureService = ReturnType<typeof erasureService>;

/** A contact with one of the numbers or addresses is the person: its other one is erased too. */
async function resolvePerson(
  { db, store }: ServiceDeps,
  organization_id: string,
  input: Pick<ErasureCreate, 'contact_id' | 'parties' | 'names'>,
): Promise<Person> {
  const contact_id = input.contact_id ?? null;
  const parties = input.parties ?? [];
  const keys = parties.map(recipientKey);
  const contacts = await store.contactsOf(db, organization_id, { contact_id, keys });
  if (contact_id !== null && contacts.length === 0) throw new ApiError('not_found');
  const path = contact_id === null ? 'body.parties' : 'body.contact_id';
  if (contacts.some(({ kind }) => kind === 'member'))
    throw validationError([
      { path, message: 'A member of the organization; remove the member first', code: 'invalid' },
    ]);
  const known = contacts
    .flatMap(({ phone_e164, email }) => [phone_e164, email])
    .filter((party) => party !== null);
  const by_key = new Map([...known, ...parties].map((party) => [recipientKey(party), party]));
  const own = await store.ownParties(db, organization_id, [...by_key.keys()]);
  if (own.length > 0)
    throw validationError([
      { path, message: `${own.join(', ')} belongs to the organization itself`, code: 'invalid' },
    ]);
  const names = input.names ?? contacts.map(({ name }) => name).filter(isFullName);
  return { parties: [...by_key.values()], names: [...new Set(names)] };
}

const hashesOf = ({ partyHash }: ServiceDeps, organization_id: string, person: Person): string[] =>
  keysOf(person).map((key) => partyHash(organization_id, key));

async function begin(
  deps: ServiceDeps,
  context: Context,
  {
    contact_id,
    person,
    keep_suppression,
  }: { contact_id: string | null; person: Person; keep_suppression: boolean },
): Promise<Erasure> {
  const { organization_id } = context;
  const id = deps.ids.next();
  await deps.db.transaction(async (tx) => {
    await deps.store.insert(tx, organization_id, {
      ...{ id, contact_id, keep_suppression, step: first_step, now: deps.clock.now() },
      party_hashes: hashesOf(deps, organization_id, person),
      person_sealed: deps.sealer.seal(JSON.stringify(person), sealContext(id)),
    });
    const detail = { contact_id, keep_suppression };
    await deps.audit.write(tx, actorOf(context), {
      organization_id,
      action: 'erasure.requested',
      object_id: id,
      detail,
    });
    await deps.jobs.enqueue(tx, {
      kind: erase_job,
      payload: { organization_id, erasure_id: id },
      unique_key: jobKey(id),
    });
  });
  deps.jobs.wake();
  return presented(deps, (await deps.store.find(organization_id, id))!);
}

function presented({ sealer }: ServiceDeps, { person_sealed, reached: _, ...row }: ErasureRow): Erasure {
  const opened = person_sealed && sealer.open(person_sealed, sealContext(row.id)).toString('utf8');
  const person = opened ? (JSON.parse(opened) as Person) : null;
  return {
    ...{ ...row, dry_run: false, settings: null },
    parties: person && [...person.parties],
    names: person && [...person.names],
    display_names: null,
  };
}
