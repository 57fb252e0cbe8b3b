// The SQL of contacts.
import type { Contact } from '@parley/contract/rules/people/contacts';
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { orDuplicate } from '../../../platform/db/duplicate.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { table } from '../../../platform/db/table.ts';
import type { IdempotencyRow } from '../../../platform/idempotency.ts';
import { insert, type UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';

const columns = sql`id, organization_id, kind, name, phone_e164, email, role, time_zone,
  coalesce(is_vouched, false) as is_vouched, coalesce(do_not_contact, false) as do_not_contact, iso(created_at) as created_at, iso(updated_at) as updated_at`;

const list = cursors('contacts');

/** A contact with what only the rules need. */
export type StoredContact = Contact & {
  /** A zone that a program set only narrows quiet hours. */
  is_zone_by_person: boolean;
};

type ContactRow = StoredContact & { email_key: string | null; search_text: string };

const contacts = table<'contacts', ContactRow>(
  'contacts',
  {
    id: 'uuid',
    organization_id: 'uuid',
    kind: 'text',
    name: 'text',
    phone_e164: 'text',
    email: 'text',
    role: 'text',
    time_zone: 'text',
    is_vouched: 'boolean',
    do_not_contact: 'boolean',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    is_zone_by_person: 'boolean',
    email_key: 'text',
    search_text: 'text',
  },
  { often_alike: [['organization_id', 'kind', 'role', 'time_zone']] },
);

const withKeys = (contact: StoredContact): ContactRow => ({
  ...contact,
  email_key: contact.email === null ? null : addressKey(contact.email),
  search_text: [contact.name, contact.phone_e164, contact.email].join('\n').toLowerCase(),
});

export function contactStore(db: Database, unitOfWork: UnitOfWork) {
  return {
    /** False when the phone or the email belongs to another contact. */
    async insert(
      _organization_id: string,
      contact: StoredContact,
      answer: IdempotencyRow | null,
      guard: ((tx: Transaction) => Promise<void>) | null = null,
    ): Promise<boolean> {
      const record = insert(contacts, withKeys(contact));
      const { outcome } = await unitOfWork.commit({ record, answer, ...(guard && { guard }) });
      return outcome === 'stored';
    },

    upsertMember,

    async setKind(
      tx: Transaction,
      organization_id: string,
      id: string,
      kind: Contact['kind'],
      now: Date,
    ): Promise<void> {
      await tx.run(sql`
        update contacts set kind = ${kind}, updated_at = ${now}
         where organization_id = ${organization_id} and id = ${id}`);
    },

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<Contact>(
        sql`select ${columns} from contacts where organization_id = ${organization_id} and id = ${id}`,
      ),

    findAll: (organization_id: string, ids: readonly string[]) => findAll(db, organization_id, ids),

    lock: (tx: Transaction, organization_id: string, id: string) =>
      tx.maybe<StoredContact>(sql`
        select ${columns}, coalesce(is_zone_by_person, false) as is_zone_by_person from contacts
         where organization_id = ${organization_id} and id = ${id} for update`),

    /** False when the phone or the email belongs to another contact. */
    async replace(tx: Transaction, organization_id: string, contact: StoredContact): Promise<boolean> {
      const { name, phone_e164, email, role, time_zone, updated_at, email_key, search_text } =
        withKeys(contact);
      const { is_vouched, do_not_contact, is_zone_by_person } = contact;
      const result = await orDuplicate('contacts', () =>
        tx.run(sql`
          update contacts set name = ${name}, phone_e164 = ${phone_e164}, email = ${email}, role = ${role},
                 time_zone = ${time_zone}, is_zone_by_person = ${is_zone_by_person}, is_vouched = ${is_vouched}, do_not_contact = ${do_not_contact},
                 updated_at = ${updated_at}, email_key = ${email_key}, search_text = ${search_text}
           where organization_id = ${organization_id} and id = ${contact.id}`),
      );
      return result !== 'duplicate';
    },

    delete: async (on: Queryable, organization_id: string, id: string): Promise<boolean> =>
      (await on.run(sql`delete from contacts where organization_id = ${organization_id} and id = ${id}`)) > 0,

    /** Which of phone and email another contact has. */
    async takenFields(organization_id: string, contact: StoredContact): Promise<('phone' | 'email')[]> {
      const row = await db.maybe<{ phone: boolean; email: boolean }>(sql`
        select coalesce(bool_or(phone_e164 = ${contact.phone_e164}), false) as phone,
               coalesce(bool_or(email_key = ${withKeys(contact).email_key}), false) as email
          from contacts
         where organization_id = ${organization_id} and id <> ${contact.id}
           and (phone_e164 = ${contact.phone_e164} or email_key = ${withKeys(contact).email_key})`);
      return (['phone', 'email'] as const).filter((field) => row?.[field]);
    },

    list: (organization_id: string, query: ContactQuery) => listContacts(db, organization_id, query),
  };
}

export type ContactStore = ReturnType<typeof contactStore>;

/**
 * A contact with the same email becomes the member when a person vouched for it, and keeps its name and its role. One that a
 * program prepared does not: with a number it stays a contact of its own, without this email; otherwise only its id stays.
 */
async function upsertMember(
  tx: Transaction,
  organization_id: string,
  contact: StoredContact,
): Promise<string> {
  const { email_key } = withKeys(contact);
  const prepared = await tx.maybe<{ do_not_contact: boolean }>(sql`
    update contacts set email = null, email_key = null, updated_at = ${contact.updated_at},
           search_text = lower(concat_ws(chr(10), name, phone_e164))
     where organization_id = ${organization_id} and email_key = ${email_key} and not coalesce(is_vouched, false)
       and kind = 'contact' and phone_e164 is not null
    returning coalesce(do_not_contact, false) as do_not_contact`);
  const member = withKeys({ ...contact, do_not_contact: prepared?.do_not_contact ?? false });
  const row = await tx.maybe<{ id: string }>(sql`
    insert into contacts
    select * from json_populate_record(null::contacts, ${JSON.stringify(member)})
    on conflict (organization_id, email_key)
    do update set kind = 'member', updated_at = excluded.updated_at,
       name = case when contacts.is_vouched then contacts.name else excluded.name end,
       role = case when contacts.is_vouched then coalesce(contacts.role, excluded.role) else excluded.role end,
       search_text = case when contacts.is_vouched then contacts.search_text else excluded.search_text end,
       is_vouched = case when contacts.is_vouched then true else contacts.kind = 'contact' end
    returning id`);
  return row!.id;
}

/** The contact with this number or address. */
export const findContactByParty = (db: Queryable, organization_id: string, party: string) =>
  db.maybe<Contact>(sql`
    select ${columns} from contacts
     where organization_id = ${organization_id}
       and (phone_e164 = ${party} or email_key = ${party.includes('@') ? addressKey(party) : null})
     order by id limit 1`);

/** In the order of the ids; contacts that do not exist are left out. */
async function findAll(db: Queryable, organization_id: string, ids: readonly string[]): Promise<Contact[]> {
  if (ids.length === 0) return [];
  return db.rows<Contact>(sql`
    select ${columns} from contacts
     where organization_id = ${organization_id} and id = any(${ids}::uuid[])
     order by array_position(${ids}::uuid[], id)`);
}

/** The contact with this number or address. */
export const findByParty = (
  db: Database,
  organization_id: string,
  party: string,
): Promise<Contact | null> => {
  const is_party = party.includes('@') ? sql`email_key = ${addressKey(party)}` : sql`phone_e164 = ${party}`;
  return db.maybe<Contact>(
    sql`select ${columns} from contacts where organization_id = ${organization_id} and ${is_party}`,
  );
};

type ContactQuery = PageRequest & { q?: string | undefined };

function listContacts(db: Database, organization_id: string, query: ContactQuery) {
  const text = query.q?.toLowerCase();
  // Users type numbers with spaces and brackets; they are stored without them.
  const digits = text && /^[+\d\s().-]+$/.test(text) ? text.replaceAll(/[\s().-]/g, '') : text;
  const matching = text
    ? sql`and (strpos(search_text, ${text}) > 0 or strpos(search_text, ${digits}) > 0)`
    : sql.empty;
  return readPage<Contact>(db, list, query, {
    columns,
    from: sql`contacts`,
    where: sql`organization_id = ${organization_id} ${matching}`,
  });
}
