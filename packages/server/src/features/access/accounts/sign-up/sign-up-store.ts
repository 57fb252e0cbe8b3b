// The SQL of sign-ups that wait for their code, and of the account that a verified address gets.
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type SignUp = {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  code_hash: string | null;
  attempts: number;
};

export function signUpStore(db: Database) {
  return {
    /** Whether the address is verified and can sign in. An account without a password can still be completed. */
    async hasAccount(tx: Transaction, email: string): Promise<boolean> {
      const row = await tx.maybe(sql`
        select 1 from accounts.users u
         where u.email = ${email} and u.email_verified
           and (u.external_subject is not null
                or exists (select 1 from accounts.account a where a."userId" = u.id))`);
      return row !== null;
    },

    /** Serializes two people who verify the same address at the same time. */
    async lockAddress(tx: Transaction, email: string): Promise<void> {
      await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`sign_up:${email}`}, 0))`);
    },

    async insert(
      tx: Transaction,
      sign_up: Omit<SignUp, 'attempts'> & { token_hash: string; created_at: Date; expires_at: Date },
    ): Promise<void> {
      const { id, token_hash, email, name, password_hash, code_hash, created_at, expires_at } = sign_up;
      await tx.run(sql`
        insert into sign_ups (id, token_hash, email, name, password_hash, code_hash, created_at, expires_at)
        values (${id}, ${token_hash}, ${email}, ${name}, ${password_hash}, ${code_hash}, ${created_at}, ${expires_at})`);
    },

    /** Counts an attempt. Null when there is no such sign-up, or it expired or has had too many attempts. */
    countAttempt: (tx: Transaction, token_hash: string, now: Date, max_attempts: number) =>
      tx.maybe<SignUp>(sql`
        update sign_ups set attempts = attempts + 1
         where token_hash = ${token_hash} and expires_at > ${now} and attempts < ${max_attempts}
        returning id, email, name, password_hash, code_hash, attempts`),

    /** After one sign-up verified the address, every other sign-up with it ends, together with its password. */
    async deleteByAddress(tx: Transaction, email: string): Promise<void> {
      await tx.run(sql`delete from sign_ups where email = ${email}`);
    },

    /** Returns the id of the user who now has this address and password. */
    async insertAccount(
      tx: Transaction,
      account: {
        id: string;
        credential_id: string;
        email: string;
        name: string;
        password_hash: string;
        now: Date;
      },
    ): Promise<string> {
      const { now } = account;
      const user = await tx.maybe<{ id: string }>(sql`
        insert into accounts.users (id, name, email, email_verified, created_at, updated_at)
        values (${account.id}, ${account.name}, ${account.email}, true, ${now}, ${now})
        on conflict (email) do update set email_verified = true, name = excluded.name, updated_at = excluded.updated_at
        returning id`);
      await tx.run(sql`
        insert into accounts.account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
        values (${account.credential_id}, ${user!.id}, 'credential', ${user!.id}, ${account.password_hash}, ${now}, ${now})`);
      return user!.id;
    },

    deleteExpired: (now: Date) => db.run(sql`delete from sign_ups where expires_at < ${now}`),
  };
}
export type SignUpStore = ReturnType<typeof signUpStore>;
