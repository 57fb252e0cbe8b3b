// The SQL of users: accounts, verified addresses, and users of the external issuer.
import type { User } from '@parley/contract/access/organizations';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A user of the external issuer cannot sign in with an email address, so the address is in another column. */
export const emailOf = sql`coalesce(u.contact_email, u.email)`;
const userColumns = sql`u.id, ${emailOf} as email, u.name, u.superadmin, u.external_subject,
  iso(u.created_at) as created_at`;

type NewUser = { id: string; email: string; name: string; now: Date };

export function peopleStore(db: Database) {
  return {
    find: (id: string) => db.maybe<User>(sql`select ${userColumns} from accounts.users u where id = ${id}`),

    /** Whether the address was verified by mail, or confirmed by an operator. */
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
     * Deletes an account with this address that was never verified, with its password, sessions and tokens: its creator
     * may not be the owner of the address. The id is deleted too, because tokens that were issued for it are still valid.
     */
    async discardUnverified(tx: Transaction, email: string): Promise<void> {
      const user = await tx.maybe<{ id: string; is_bound: boolean }>(sql`
        select u.id, (u.superadmin or u.external_subject is not null
                      or exists (select 1 from members m where m.user_id = u.id)) as is_bound
          from accounts.users u where u.email = ${email} and not u.email_verified for update`);
      if (!user) return;
      if (!user.is_bound) {
        await tx.run(sql`delete from accounts.users where id = ${user.id}`);
        return;
      }
      // An older version of this server created the membership. Keep the user, and delete every credential.
      for (const table of [
        'account',
        'session',
        '"oauthAccessToken"',
        '"oauthRefreshToken"',
        '"oauthConsent"',
      ]) {
        await tx.run(sql`delete from accounts.${sql.raw(table)} where "userId" = ${user.id}`);
      }
    },

    /** Returns the user with this address, confirmed by an operator; creates one without a password if there is none. */
    async ensureVerified(tx: Transaction, user: NewUser): Promise<User> {
      await tx.run(sql`
        insert into accounts.users (id, name, email, email_verified, created_at, updated_at)
        values (${user.id}, ${user.name}, ${user.email}, true, ${user.now}, ${user.now})
        on conflict (email) do update set email_verified = true`);
      return (await tx.maybe<User>(
        sql`select ${userColumns} from accounts.users u where email = ${user.email} for update of u`,
      ))!;
    },

    /** Returns the user with this subject at the external issuer; null when subject and address belong to two users. */
    async ensureExternal(tx: Transaction, user: NewUser & { subject: string }): Promise<User | null> {
      const { id, name, email, subject, now } = user;
      await tx.run(sql`
        insert into accounts.users (id, name, email, contact_email, email_verified, external_subject, created_at, updated_at)
        values (${id}, ${name}, ${`external:${id}`}, ${email}, true, ${subject}, ${now}, ${now})
        on conflict (external_subject) do nothing`);
      const users = await tx.rows<User>(sql`
        select ${userColumns} from accounts.users u
         where external_subject = ${subject} or (external_subject is not null and ${emailOf} = ${email})
           for update of u`);
      return users.length === 1 && users[0]!.email === email ? users[0]! : null;
    },

    /** Null when there is no such user. */
    setSuperadmin: (on: Queryable, user_id: string, superadmin: boolean) =>
      on.maybe<User>(sql`
        update accounts.users u set superadmin = ${superadmin} where id = ${user_id} returning ${userColumns}`),
  };
}
export type PeopleStore = ReturnType<typeof peopleStore>;
