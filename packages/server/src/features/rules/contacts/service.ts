// The rules of contacts: reachable by phone or email, and each of those belongs to one contact only.
import type { Contact, ContactCreate, ContactPatch } from '@parley/contract/rules/people/contacts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import { mayLoosen } from '../../access/rule-inputs/index.ts';
import type { ConsentRevocations } from '../consents/index.ts';
import { requireContactRights, requireDeleteRight } from './rights.ts';
import { type ContactStore, contactStore, findByParty, type StoredContact } from './store.ts';

type ContactDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  unitOfWork: UnitOfWork;
  revocations: Pick<ConsentRevocations, 'revokeAll' | 'liftAll'>;
};

export function contactService(deps: ContactDeps) {
  const store = contactStore(deps.db, deps.unitOfWork);

  const orNotFound = <T>(contact: T | null): T => {
    if (!contact) throw new ApiError('not_found');
    return contact;
  };

  const existsError = async (contact: StoredContact) => {
    const fields_in_use = await store.takenFields(contact.organization_id, contact);
    return new ApiError('contact_exists', {
      detail: `A contact with this ${fields_in_use.join(' and this ') || 'phone or email'} already exists.`,
    });
  };

  return {
    async create(
      { organization_id, caller, idempotency }: Pick<Context, 'organization_id' | 'caller' | 'idempotency'>,
      input: ContactCreate,
    ): Promise<Contact> {
      const contact = newContact(deps, organization_id, 'contact', {
        ...input,
        is_vouched: mayLoosen(caller, 'contacts.is_vouched'),
      });
      const answer = idempotency?.row({ status: 201, body: publicContact(contact) }) ?? null;
      const guard = contact.do_not_contact
        ? (tx: Transaction) => deps.revocations.revokeAll(tx, organization_id, partiesOf(contact))
        : null;
      if (!(await store.insert(organization_id, contact, answer, guard))) throw await existsError(contact);
      return publicContact(contact);
    },

    findByParty: (organization_id: string, party: string) => findByParty(deps.db, organization_id, party),

    /** Returns the id of the member's contact: one with the same email that a person vouched for, or a new one. */
    async beginMembership(
      tx: Transaction,
      organization_id: string,
      person: { name: string; email: string; role: string },
    ): Promise<string> {
      return store.upsertMember(
        tx,
        organization_id,
        newContact(deps, organization_id, 'member', { ...person, is_vouched: true }),
      );
    },

    /** The person stays a contact of the organization. */
    endMembership: (tx: Transaction, organization_id: string, id: string): Promise<void> =>
      store.setKind(tx, organization_id, id, 'contact', deps.clock.now()),

    findAll: store.findAll,

    list: (organization_id: string, query: PageRequest & { q?: string | undefined }) =>
      store.list(organization_id, query),

    get: async (organization_id: string, id: string): Promise<Contact> =>
      orNotFound(await store.find(organization_id, id)),

    async update({ organization_id, caller }: Context, id: string, patch: ContactPatch): Promise<Contact> {
      const is_person = mayLoosen(caller, 'contacts.is_vouched');
      const result = await deps.db.transaction(async (tx) => {
        const before = orNotFound(await store.lock(tx, organization_id, id));
        const after = patched(before, patch, { now: deps.clock.now(), is_person });
        requireContactRights(caller, before, after, patch);
        const saved = await store.replace(tx, organization_id, after);
        if (saved) await applyRefusal(deps, tx, before, after);
        return { after, saved };
      });
      if (!result.saved) throw await existsError(result.after);
      return publicContact(result.after);
    },

    delete: (context: Context, id: string) => remove(deps, store, context, id),
  };
}
export type ContactService = ReturnType<typeof contactService>;

const remove = (
  { db }: ContactDeps,
  store: ContactStore,
  { organization_id, caller }: Context,
  id: string,
): Promise<undefined> =>
  db.transaction(async (tx) => {
    const contact = await store.lock(tx, organization_id, id);
    if (!contact) throw new ApiError('not_found');
    requireDeleteRight(caller, contact);
    await store.delete(tx, organization_id, id);
    return undefined;
  });

/** Without what only the rules need. */
const publicContact = ({ is_zone_by_person: _, ...contact }: StoredContact): Contact => contact;

const partiesOf = ({ phone_e164, email }: Contact): string[] =>
  [phone_e164, email].filter((party) => party !== null);

/** Also for a new number or address of a person who must not be contacted. */
async function applyRefusal(
  { revocations }: ContactDeps,
  tx: Transaction,
  before: Contact,
  after: Contact,
): Promise<void> {
  const { organization_id } = after;
  if (after.do_not_contact) {
    const blocked_parties = before.do_not_contact ? partiesOf(before) : [];
    const added = partiesOf(after).filter((party) => !blocked_parties.includes(party));
    await revocations.revokeAll(tx, organization_id, added);
  } else if (before.do_not_contact) await revocations.liftAll(tx, organization_id, partiesOf(after));
}

function newContact(
  { clock, ids }: ContactDeps,
  organization_id: string,
  kind: Contact['kind'],
  input: Pick<ContactCreate, 'name' | 'phone_e164' | 'email' | 'role' | 'time_zone' | 'do_not_contact'> & {
    is_vouched: boolean;
  },
): StoredContact {
  const now = clock.now().toISOString();
  return {
    id: ids.next(),
    organization_id,
    kind,
    name: input.name,
    phone_e164: input.phone_e164 ?? null,
    email: input.email ?? null,
    role: input.role ?? null,
    time_zone: input.time_zone ?? null,
    is_vouched: input.is_vouched,
    // Whoever may vouch for the contact set its zone.
    is_zone_by_person: input.is_vouched && input.time_zone != null,
    do_not_contact: input.do_not_contact ?? false,
    created_at: now,
    updated_at: now,
  };
}

/** The contact with the fields of the patch. Throws when it would have neither phone nor email. */
function patched(
  contact: StoredContact,
  patch: ContactPatch,
  { now, is_person }: { now: Date; is_person: boolean },
): StoredContact {
  const after: StoredContact = {
    ...contact,
    name: patch.name ?? contact.name,
    phone_e164: patch.phone_e164 === undefined ? contact.phone_e164 : patch.phone_e164,
    email: patch.email === undefined ? contact.email : patch.email,
    role: patch.role === undefined ? contact.role : patch.role,
    time_zone: patch.time_zone === undefined ? contact.time_zone : patch.time_zone,
    do_not_contact: patch.do_not_contact ?? contact.do_not_contact,
    updated_at: now.toISOString(),
  };
  // A program must not turn a contact that a person vouched for into somebody else.
  const is_other = after.phone_e164 !== contact.phone_e164 || after.email !== contact.email;
  if (after.time_zone !== contact.time_zone || (is_person && patch.time_zone != null))
    after.is_zone_by_person = is_person && after.time_zone !== null;
  after.is_vouched = patch.is_vouched ?? (is_other ? is_person : contact.is_vouched);
  if (after.phone_e164 === null && after.email === null) {
    throw validationError([
      { path: 'body', message: 'A contact needs a phone_e164, an email or both', code: 'invalid' },
    ]);
  }
  return after;
}
