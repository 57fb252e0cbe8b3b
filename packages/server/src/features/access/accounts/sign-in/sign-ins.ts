// Signing in with a password: rate limited per network and account, and failures go to the audit log.

import { nil_uuid } from '@parley/contract/limits';
import { EmailAddress } from '@parley/contract/schema/fields';
import type { Clock } from '../../../../platform/clock.ts';
import { sha256Base64url } from '../../../../platform/crypto.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { networkOf } from '../../../../platform/http/client-network.ts';
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { AuditLog } from '../../audit/index.ts';
import { password_chars } from '../account-rules.ts';
import type { AccountStore } from '../account-store.ts';
import type { AttemptLimits } from '../attempt-limits.ts';
import type { AccountEngine } from '../engine.ts';

const max_known_networks = 20;
export const known_network_days = 90;
const audited_failure_days = 90;
const failed_action = 'user.sign_in_failed';

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

  const networkHash = (user_id: string, ip: string) => sha256Base64url(`${user_id} ${networkOf(ip)}`);
  const storeKnownNetwork = (user_id: string, ip: string) =>
    store.storeKnownNetwork(user_id, networkHash(user_id, ip), deps.wall_clock.now(), max_known_networks);

  const jobs: JobHandler[] = [
    {
      kind: 'forget_failed_sign_ins',
      every_seconds: 86_400,
      run: () => audit.forget(failed_action, new Date(deps.clock.ms() - audited_failure_days * 86_400_000)),
    },
  ];

  return {
    jobs,
    storeKnownNetwork,

    /** Returns the cookies of the new session; null when the email or the password is wrong. */
    async signIn(
      from: { ip: string; request_id: string; headers: Headers },
      input: { email: string; password: string; stay: boolean },
    ): Promise<string[] | null> {
      const { ip, request_id } = from;
      const email = input.email.toLowerCase();
      const account = await store.findAccount(email);
      const user_id = account?.id ?? null;
      // An address without an account does the same queries, so that its response takes as long.
      const is_known = await store.isKnownNetwork(user_id ?? nil_uuid, networkHash(user_id ?? nil_uuid, ip));
      await attempts.countPassword(ip, email, is_known);
      const is_plausible =
        EmailAddress.safeParse(email).success && input.password.length <= password_chars.max;
      const engine = await deps.engine();
      const cookies = is_plausible
        ? await engine.signIn({ email, password: input.password, rememberMe: input.stay }, from.headers)
        : null;
      const actor = { user_id: cookies ? user_id : null, credential_id: null, ip, request_id };
      if (!cookies) {
        // The entered email is not stored: people type passwords into the wrong field.
        const entry = { organization_id: null, action: failed_action, object_id: user_id };
        if (await attempts.mayAuditFailure(user_id)) await audit.write(db, actor, entry);
        return null;
      }
      await storeKnownNetwork(user_id!, ip);
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
