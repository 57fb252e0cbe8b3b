// Makes accounts: nobody has one before they typed the code that was mailed to the address, in the browser that asked for it.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { randomToken, sameSecret, sha256Base64url } from '../../platform/crypto.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { Actor, AuditLog } from '../audit/index.ts';
import type { PeopleStore } from '../organizations/index.ts';
import type { SystemMailSender } from '../system-mail/index.ts';
import { accountExistsMail, codeMail } from './account-mails.ts';
import type { AccountEngine } from './engine.ts';
import { signUpStore } from './sign-up-store.ts';

export const sign_up_minutes = 20;
const max_attempts = 5;
const code_digits = 8;

export type SignUpDeps = {
  db: Database;
  wall_clock: Clock;
  ids: Ids;
  audit: AuditLog;
  people: PeopleStore;
  mail: SystemMailSender;
  engine(): Promise<AccountEngine>;
  baseUrl(): string;
};

const newCode = () => String(randomInt(10 ** code_digits)).padStart(code_digits, '0');
/** Only with the browser's secret, which is not stored, can the code be found by trying all of them. */
const codeHash = (token: string, code: string) => sha256Base64url(`${token} ${code}`);

export function signUps(deps: SignUpDeps) {
  const { db, wall_clock, ids, audit, people, mail } = deps;
  const store = signUpStore(db);

  const jobs: JobHandler[] = [
    {
      kind: 'forget_sign_ups',
      every_seconds: 600,
      run: async () => void (await store.forgetExpired(wall_clock.now())),
    },
  ];

  const giveAccount = async (
    tx: Transaction,
    actor: Actor,
    given: { email: string; name: string; password_hash: string },
  ): Promise<void> => {
    await people.discardUnverified(tx, given.email);
    const person = { id: ids.next(), credential_id: ids.next(), ...given, now: wall_clock.now() };
    const user_id = await store.giveAccount(tx, person);
    await store.forgetAddress(tx, given.email);
    await audit.write(
      tx,
      { ...actor, user_id },
      {
        organization_id: null,
        action: 'user.signed_up',
        object_id: user_id,
      },
    );
  };

  return {
    jobs,

    /**
     * Mails a code, or a notice where the address has an account; the work and the answer are the same. The token belongs to the
     * browser: a person who gets the code of a stranger's sign-up has nowhere to type it, so the stranger's password never counts.
     */
    async begin(given: { name: string; email: string; password: string }): Promise<{ token: string }> {
      mail.requireTransport();
      const email = given.email.toLowerCase();
      const [token, code] = [randomToken(''), newCode()];
      const password_hash = await (await deps.engine()).hashPassword(given.password);
      const now = wall_clock.now();
      await db.transaction(async (tx) => {
        const taken = await store.isTaken(tx, email);
        const id = ids.next();
        await store.insert(tx, {
          id,
          token_hash: sha256Base64url(token),
          email,
          name: given.name,
          password_hash: taken ? null : password_hash,
          code_hash: taken ? null : codeHash(token, code),
          created_at: now,
          expires_at: new Date(now.getTime() + sign_up_minutes * 60_000),
        });
        const message = taken
          ? accountExistsMail(deps.baseUrl())
          : codeMail(deps.baseUrl(), code, sign_up_minutes);
        await mail.send(tx, { to: email, organization_id: null, reference: id, ...message });
      });
      return { token };
    },

    /** `over`: the code cannot be typed any more, and a new sign-up is needed. */
    async finish(actor: Actor, token: string, typed: string): Promise<'done' | 'wrong' | 'over'> {
      return db.transaction(async (tx) => {
        const found = await store.tryCode(tx, sha256Base64url(token), wall_clock.now(), max_attempts);
        if (!found) return 'over';
        const { email, name, password_hash, code_hash } = found;
        const code = typed.replaceAll(/\D/g, '');
        if (password_hash === null || code_hash === null || !sameSecret(code_hash, codeHash(token, code)))
          return 'wrong';
        await store.lockAddress(tx, email);
        // Somebody else proved the same address meanwhile.
        if (await store.isTaken(tx, email)) return 'over';
        await giveAccount(tx, actor, { email, name, password_hash });
        return 'done';
      });
    },
  };
}
export type SignUps = ReturnType<typeof signUps>;
