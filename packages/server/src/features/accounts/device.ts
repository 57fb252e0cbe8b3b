// Device login (RFC 8628): a program without a browser gets a key that a signed-in person approves elsewhere.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { Actor, AuditLog } from '../audit/index.ts';
import type { ApiKeyService } from '../identity/index.ts';
import { deviceStore } from './device-store.ts';

/** Programs that may begin a device login, and how people know them. */
export const device_clients: Readonly<Record<string, string>> = { 'parley-cli': 'The Parley command line' };

export const device_grant = 'urn:ietf:params:oauth:grant-type:device_code';

// RFC 8628 section 6.1: no vowels, so that no words appear, and no look-alikes.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const lifetime_seconds = 600;
const first_interval_seconds = 5;
const slow_down_seconds = 5;

export type DeviceRefusal =
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant';

export type DeviceToken =
  | { access_token: string; organization_id: string; scope: string; expires_in: number }
  | { error: DeviceRefusal };

/** As people type it: in any case, with or without the dash. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code) ? `${code.slice(0, 4)}-${code.slice(4)}` : null;
}

const newUserCode = () =>
  readUserCode(Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join(''))!;

export function deviceLogins(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  api_keys: ApiKeyService;
  /** How long a key lives that a device gets. */
  key_days: number;
  baseUrl(): string;
}) {
  const { db, clock, ids, audit, api_keys } = deps;
  const store = deviceStore(db);

  const keyExpiry = () => new Date(clock.ms() + deps.key_days * 86_400_000);

  const jobs: JobHandler[] = [
    {
      kind: 'forget_device_logins',
      every_seconds: 3600,
      run: () => store.forgetBefore(new Date(clock.ms() - 3_600_000)),
    },
  ];

  return {
    jobs,

    async begin(client_id: string, scopes: string[]) {
      const device_code = randomToken('');
      const now = clock.now();
      const login = {
        device_code_hash: sha256Base64url(device_code),
        client_id,
        scopes,
        created_at: now,
        expires_at: new Date(now.getTime() + lifetime_seconds * 1000),
        interval_seconds: first_interval_seconds,
      };
      let user_code = newUserCode();
      while (!(await store.insert({ id: ids.next(), user_code, ...login }))) user_code = newUserCode();
      const verification_uri = `${deps.baseUrl()}/auth/device`;
      return {
        device_code,
        user_code,
        verification_uri,
        verification_uri_complete: `${verification_uri}?user_code=${user_code}`,
        expires_in: lifetime_seconds,
        interval: first_interval_seconds,
      };
    },

    /** What a person who typed the code may know of it. */
    async look(
      user_code: string,
    ): Promise<{ client: string; scopes: string[]; key_expires_at: Date } | null> {
      const login = await store.waiting(db, user_code, clock.now());
      return (
        login && {
          client: device_clients[login.client_id] ?? login.client_id,
          scopes: login.scopes,
          key_expires_at: keyExpiry(),
        }
      );
    },

    /** False when the code was decided, used up or made up. */
    async decide(
      actor: Actor & { user_id: string },
      decision: { user_code: string; organization_id: string; approved: boolean },
    ): Promise<boolean> {
      const { organization_id, approved } = decision;
      return db.transaction(async (tx) => {
        const now = clock.now();
        const login = await store.waiting(tx, decision.user_code, now);
        if (!login) return false;
        const { id } = login;
        const key_expires_at = keyExpiry();
        const decided = { id, user_id: actor.user_id, approved, now, key_expires_at };
        if (!(await store.decide(tx, organization_id, decided))) return false;
        await audit.write(tx, actor, {
          organization_id,
          action: approved ? 'device_login.approved' : 'device_login.denied',
          object_id: id,
          detail: {
            client_id: login.client_id,
            scopes: login.scopes,
            ...(approved ? { key_expires_at: key_expires_at.toISOString() } : {}),
          },
        });
        return true;
      });
    },

    /**
     * The device asks whether it was approved. The key is made in the transaction that uses the code up: a process that
     * dies in between leaves the code as it was, and the device asks again.
     */
    async redeem(actor: Actor, client_id: string, device_code: string): Promise<DeviceToken> {
      try {
        return await db.transaction(async (tx): Promise<DeviceToken> => {
          const login = await store.lockByDeviceCode(tx, sha256Base64url(device_code));
          if (!login || login.client_id !== client_id || login.used) return { error: 'invalid_grant' };
          const now = clock.now();
          if (login.expires_ms <= now.getTime()) return { error: 'expired_token' };
          if (login.denied) return { error: 'access_denied' };
          if (!login.approved) {
            const wait_ms = login.interval_seconds * 1000;
            const hurried = login.last_polled_ms !== null && now.getTime() - login.last_polled_ms < wait_ms;
            const interval = login.interval_seconds + (hurried ? slow_down_seconds : 0);
            await store.polled(tx, login.id, now, interval);
            return { error: hurried ? 'slow_down' : 'authorization_pending' };
          }
          const expires_at = login.key_expires_ms === null ? keyExpiry() : new Date(login.key_expires_ms);
          const owner = { organization_id: login.organization_id!, user_id: login.user_id! };
          const key = await api_keys.issue(tx, { ...actor, user_id: owner.user_id }, owner, {
            name: device_clients[client_id] ?? client_id,
            scopes: login.scopes,
            expires_at: expires_at.toISOString(),
          });
          await store.used(tx, login.id, now);
          return {
            access_token: key.key,
            organization_id: key.organization_id,
            scope: key.scopes.join(' '),
            expires_in: Math.floor((expires_at.getTime() - now.getTime()) / 1000),
          };
        });
      } catch (error) {
        // The membership ended between the approval and now, or the organization has all the keys it may have.
        if (error instanceof ApiError && (error.code === 'not_found' || error.code === 'too_many_keys'))
          return { error: 'access_denied' };
        throw error;
      }
    },
  };
}
export type DeviceLogins = ReturnType<typeof deviceLogins>;
