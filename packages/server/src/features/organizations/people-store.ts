// The SQL of people: who has an account, whose address is proven, and who comes from the outside issuer.
import type { User } from '@parley/contract/organizations';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** People of the outside issuer sign in elsewhere: their address is no name to sign in with. */
export const addressOf = sql`coalesce(u.contact_email, u.email)`;
const userColumns = sql`u.id, ${addressOf} as email, u.name, u.superadmin, u.external_subject,
  iso(u.created_at) as created_at`;

type NewPerson = { id: string; email: string; name: string; now: Date };

export function peopleStore(db: Database) {
  return {
    find: (id: string) => db.maybe<User>(sql`select ${userColumns} from accounts.users u where id = ${id}`),

    /** Whether the address was proven by mail or an operator vouched for it. */
    async isVerified(tx: Transaction, id: string): Promise<boolean> {
      const row = await tx.maybe(sql`
        select 1 from accounts.users where id = ${id} and email_verified for share`);
      return row !== null;
    },

    async signsInElsewhere(id: string): Promise<boolean> {
      const row = await db.maybe(sql`
        select 1 from accounts.users u
         where id = ${id} and external_subject is not null
           and not exists (select 1 from accounts.account a where a."userId" = u.id)`);
      return row !== null;
    },

    /**
     * An account that never proved its address does not count as the person with that address: whoever made it loses it,
     * with its password, sessions and tokens. The id goes as well, since tokens that were issued to it are still valid.
     */
    async discardUnverified(tx: Transaction, email: string): Promise<void> {
      const found = await tx.maybe<{ id: string; is_bound: boolean }>(sql`
        select u.id, (u.superadmin or u.external_subject is not null
                      or exists (select 1 from members m where m.user_id = u.id)) as is_bound
          from accounts.users u where u.email = ${email} and not u.email_verified for update`);
      if (!found) return;
      if (!found.is_bound) {
        await tx.run(sql`delete from accounts.users where id = ${found.id}`);
        return;
      }
      // An older process beside this one made the membership; only what lets somebody in is taken away.
      for (const table of [
        'account',
        'session',
        '"oauthAccessToken"',
        '"oauthRefreshToken"',
        '"oauthConsent"',
      ]) {
        await tx.run(sql`delete from accounts.${sql.raw(table)} where "userId" = ${found.id}`);
      }
    },

    /** The person with this address, for whom an operator vouches; made, without a password, when there is none. */
    async ensureVouched(tx: Transaction, person: NewPerson): Promise<User> {
      await tx.run(sql`
        insert into accounts.users (id, name, email, email_verified, created_at, updated_at)
        values (${person.id}, ${person.name}, ${person.email}, true, ${person.now}, ${person.now})
        on conflict (email) do update set email_verified = true`);
      return (await tx.maybe<User>(
        sql`select ${userColumns} from accounts.users u where email = ${person.email} for update of u`,
      ))!;
    },

    /** The person whom the outside issuer knows by this subject; null when subject and address belong to two people. */
    async ensureExternal(tx: Transaction, person: NewPerson & { subject: string }): Promise<User | null> {
      const { id, name, email, subject, now } = person;
      await tx.run(sql`
        insert into accounts.users (id, name, email, contact_email, email_verified, external_subject, created_at, updated_at)
        values (${id}, ${name}, ${`external:${id}`}, ${email}, true, ${subject}, ${now}, ${now})
        on conflict (external_subject) do nothing`);
      const known = await tx.rows<User>(sql`
        select ${userColumns} from accounts.users u
         where external_subject = ${subject} or (external_subject is not null and ${addressOf} = ${email})
           for update of u`);
      return known.length === 1 && known[0]!.email === email ? known[0]! : null;
    },

    /** Null when there is no such person. */
    setSuperadmin: (on: Queryable, user_id: string, superadmin: boolean) =>
      on.maybe<User>(sql`
        update accounts.users u set superadmin = ${superadmin} where id = ${user_id} returning ${userColumns}`),
  };
}
export type PeopleStore = ReturnType<typeof peopleStore>;
