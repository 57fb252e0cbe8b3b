// Signing in with a password: throttled by place and account, remembered where it worked, written down where it did not.
import { EmailAddress } from '@parley/contract/fields';
import { nil_uuid } from '@parley/contract/limits';
import type { Clock } from '../../platform/clock.ts';
import { sha256Base64url } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { networkOf } from '../../platform/http/client-network.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { AuditLog } from '../audit/index.ts';
import type { AccountStore } from './account-store.ts';
import { password_chars } from './account-terms.ts';
import type { AttemptLimits } from './attempts.ts';
import type { AccountEngine } from './engine.ts';

const places_kept = 20;
export const place_kept_days = 90;
const failure_kept_days = 90;
const failed = 'user.sign_in_failed';

export function signIns(deps: {
  db: Database;
  wall_clock: Clock;
  clock: Clock;
  store: AccountStore;
  audit: AuditLog;
  attempts: AttemptLimits;
  engine(): Promise<AccountEngine>;
}) {
  const { db, store, audit, attempts } = deps;

  const placeHash = (user_id: string, ip: string) => sha256Base64url(`${user_id} ${networkOf(ip)}`);
  const rememberPlace = (user_id: string, ip: string) =>
    store.rememberPlace(user_id, placeHash(user_id, ip), deps.wall_clock.now(), places_kept);

  const jobs: JobHandler[] = [
    {
      kind: 'forget_failed_sign_ins',
      every_seconds: 86_400,
      run: () => audit.forget(failed, new Date(deps.clock.ms() - failure_kept_days * 86_400_000)),
    },
  ];

  return {
    jobs,
    rememberPlace,

    /** The cookies of the new session; null when address and password do not belong together. */
    async signIn(
      from: { ip: string; request_id: string; headers: Headers },
      given: { email: string; password: string },
    ): Promise<string[] | null> {
      const { ip, request_id } = from;
      const email = given.email.toLowerCase();
      const account = await store.accountOf(email);
      const user_id = account?.id ?? null;
      const known = await store.isKnownPlace(user_id ?? nil_uuid, placeHash(user_id ?? nil_uuid, ip));
      await attempts.tryPassword(ip, email, known);
      const plausible = EmailAddress.safeParse(email).success && given.password.length <= password_chars.max;
      const engine = await deps.engine();
      const cookies = plausible
        ? await engine.signIn({ email, password: given.password }, from.headers)
        : null;
      const actor = { user_id: cookies ? user_id : null, credential_id: null, ip, request_id };
      if (!cookies) {
        // What was typed is not kept: people type passwords into the wrong field.
        const entry = { organization_id: null, action: failed, object_id: user_id };
        if (await attempts.mayAuditFailure(user_id)) await audit.write(db, actor, entry);
        return null;
      }
      await rememberPlace(user_id!, ip);
      await audit.write(db, actor, {
        organization_id: null,
        action: 'user.signed_in',
        object_id: email,
      });
      return cookies;
    },
  };
}
export type SignIns = ReturnType<typeof signIns>;
