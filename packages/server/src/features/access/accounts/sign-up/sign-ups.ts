// Creates accounts. An account exists only after the code that was mailed to the address is entered, in the browser that
// requested it.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { randomToken, sameSecret, sha256Base64url } from '../../../../platform/crypto.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { SystemMailSender } from '../../../../platform/system-mail.ts';
import type { Actor, AuditLog } from '../../audit/index.ts';
import type { PeopleStore } from '../../organizations/index.ts';
import { accountExistsMail, codeMail } from '../account-mails.ts';
import type { AccountEngine } from '../engine.ts';
import { type SignUpStore, signUpStore } from './sign-up-store.ts';

export const sign_up_minutes = 20;
const max_attempts = 5;
const code_digits = 8;

type SignUpDeps = {
  db: Database;
  wall_clock: Clock;
  ids: Ids;
  audit: AuditLog;
  people: PeopleStore;
  mail: SystemMailSender;
  engine(): Promise<AccountEngine>;
  baseUrl(): string;
};
type Deps = SignUpDeps & { store: SignUpStore };
type NewAccount = { name: string; email: string; password: string };

/** `expired`: the code can no longer be entered, and a new sign-up is needed. */
type SignUpResult = 'done' | 'wrong_code' | 'expired';

const newCode = () => String(randomInt(10 ** code_digits)).padStart(code_digits, '0');
/** The hash includes the browser's token, which is not stored: a copy of the database is not enough to guess the code. */
const codeHash = (token: string, code: string) => sha256Base64url(`${token} ${code}`);

export function signUps(sign_up_deps: SignUpDeps) {
  const deps: Deps = { ...sign_up_deps, store: signUpStore(sign_up_deps.db) };
  const jobs: JobHandler[] = [
    {
      kind: 'forget_sign_ups',
      every_seconds: 600,
      run: async () => void (await deps.store.deleteExpired(deps.wall_clock.now())),
    },
  ];
  return {
    jobs,
    start: (account: NewAccount) => start(deps, account),
    finish: (actor: Actor, token: string, entered: string) => finish(deps, actor, token, entered),
  };
}
export type SignUps = ReturnType<typeof signUps>;

/**
 * Mails a code, or a notice when the address already has an account; both take the same work and get the same response.
 * The token stays in the browser that started the sign-up. A person who receives the code of an attacker's sign-up cannot
 * enter it anywhere, so the attacker's password never becomes valid.
 */
async function start(deps: Deps, account: NewAccount): Promise<{ token: string }> {
  const { db, store, mail } = deps;
  mail.requireTransport();
  const email = account.email.toLowerCase();
  const [token, code] = [randomToken(''), newCode()];
  const password_hash = await (await deps.engine()).hashPassword(account.password);
  const now = deps.wall_clock.now();
  await db.transaction(async (tx) => {
    const has_account = await store.hasAccount(tx, email);
    const id = deps.ids.next();
    await store.insert(tx, {
      id,
      token_hash: sha256Base64url(token),
      email,
      name: account.name,
      password_hash: has_account ? null : password_hash,
      code_hash: has_account ? null : codeHash(token, code),
      created_at: now,
      expires_at: new Date(now.getTime() + sign_up_minutes * 60_000),
    });
    const message = has_account
      ? accountExistsMail(deps.baseUrl())
      : codeMail(deps.baseUrl(), code, sign_up_minutes);
    await mail.send(tx, { to: email, organization_id: null, reference: id, ...message });
  });
  return { token };
}

const finish = (deps: Deps, actor: Actor, token: string, entered: string): Promise<SignUpResult> =>
  deps.db.transaction(async (tx) => {
    const { store, wall_clock } = deps;
    const sign_up = await store.countAttempt(tx, sha256Base64url(token), wall_clock.now(), max_attempts);
    if (!sign_up) return 'expired';
    const { email, name, password_hash, code_hash } = sign_up;
    const code = entered.replaceAll(/\D/g, '');
    if (password_hash === null || code_hash === null || !sameSecret(code_hash, codeHash(token, code)))
      return 'wrong_code';
    await store.lockAddress(tx, email);
    // Another sign-up verified the same address in the meantime.
    if (await store.hasAccount(tx, email)) return 'expired';
    await createAccount(deps, tx, actor, { email, name, password_hash });
    return 'done';
  });

async function createAccount(
  { store, people, ids, wall_clock, audit }: Deps,
  tx: Transaction,
  actor: Actor,
  account: { email: string; name: string; password_hash: string },
): Promise<void> {
  await people.discardUnverified(tx, account.email);
  const user_id = await store.insertAccount(tx, {
    id: ids.next(),
    credential_id: ids.next(),
    ...account,
    now: wall_clock.now(),
  });
  await store.deleteByAddress(tx, account.email);
  await audit.write(
    tx,
    { ...actor, user_id },
    { organization_id: null, action: 'user.signed_up', object_id: user_id },
  );
}
