// The rules of contacts: reachable by phone or email, and each of those belongs to one contact only.
import type { Contact, ContactCreate, ContactPatch } from '@parley/contract/contacts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { IdempotentRequest } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import type { UnitOfWork } from '../../platform/unit-of-work/unit-of-work.ts';
import { contactStore } from './store.ts';

export function contactService(deps: { db: Database; clock: Clock; ids: Ids; unitOfWork: UnitOfWork }) {
  const store = contactStore(deps.db, deps.unitOfWork);

  const found = <T>(contact: T | null): T => {
    if (!contact) throw new ApiError('not_found');
    return contact;
  };

  const existsError = async (contact: Contact) => {
    const taken = await store.takenFields(contact.organization_id, contact);
    return new ApiError('contact_exists', {
      detail: `A contact with this ${taken.join(' and this ') || 'phone or email'} already exists.`,
    });
  };

  return {
    async create(
      organization_id: string,
      input: ContactCreate,
      idempotency: IdempotentRequest | null,
    ): Promise<Contact> {
      const now = deps.clock.now().toISOString();
      const contact: Contact = {
        id: deps.ids.next(),
        organization_id,
        kind: 'contact',
        name: input.name,
        phone_e164: input.phone_e164 ?? null,
        email: input.email ?? null,
        role: input.role ?? null,
        created_at: now,
        updated_at: now,
      };
      const answer = idempotency?.row({ status: 201, body: contact }) ?? null;
      if (!(await store.insert(organization_id, contact, answer))) throw await existsError(contact);
      return contact;
    },

    /** Returns the id of the member's contact: the one with the same email, or a new one. */
    async beginMembership(
      tx: Transaction,
      organization_id: string,
      person: { name: string; email: string; role: string },
    ): Promise<string> {
      const now = deps.clock.now().toISOString();
      return store.upsertMember(tx, organization_id, {
        id: deps.ids.next(),
        organization_id,
        kind: 'member',
        name: person.name,
        phone_e164: null,
        email: person.email,
        role: person.role,
        created_at: now,
        updated_at: now,
      });
    },

    /** The person stays a contact of the organization. */
    endMembership: (tx: Transaction, organization_id: string, id: string): Promise<void> =>
      store.setKind(tx, organization_id, id, 'contact', deps.clock.now()),

    list: (organization_id: string, query: PageRequest & { q?: string | undefined }) =>
      store.list(organization_id, query),

    get: async (organization_id: string, id: string): Promise<Contact> =>
      found(await store.find(organization_id, id)),

    async update(organization_id: string, id: string, patch: ContactPatch): Promise<Contact> {
      const result = await deps.db.transaction(async (tx) => {
        const before = found(await store.lock(tx, organization_id, id));
        const after: Contact = {
          ...before,
          name: patch.name ?? before.name,
          phone_e164: patch.phone_e164 === undefined ? before.phone_e164 : patch.phone_e164,
          email: patch.email === undefined ? before.email : patch.email,
          role: patch.role === undefined ? before.role : patch.role,
          updated_at: deps.clock.now().toISOString(),
        };
        if (after.phone_e164 === null && after.email === null) {
          throw validationError([
            { path: 'body', message: 'A contact needs a phone_e164, an email or both', code: 'invalid' },
          ]);
        }
        return { after, saved: await store.replace(tx, organization_id, after) };
      });
      if (!result.saved) throw await existsError(result.after);
      return result.after;
    },

    async delete(organization_id: string, id: string): Promise<undefined> {
      found((await store.delete(organization_id, id)) || null);
    },
  };
}
export type ContactService = ReturnType<typeof contactService>;
