// Device login (RFC 8628): a program without a browser gets a key that a signed-in user approves in a browser.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../../../platform/crypto.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { Actor, AuditLog } from '../../audit/index.ts';
import type { ApiKeyService, CredentialLimits } from '../../identity/index.ts';
import { type DeviceLogin, type DeviceStore, deviceStore } from './device-store.ts';

/** Programs that may start a device login, with the names that users see. */
export const device_clients: Readonly<Record<string, string>> = { 'parley-cli': 'The Parley command line' };

export const device_grant = 'urn:ietf:params:oauth:grant-type:device_code';

// RFC 8628 section 6.1: no vowels, so that codes do not spell words, and no characters that look alike.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const lifetime_seconds = 600;
const first_interval_seconds = 5;
const slow_down_seconds = 5;

/** RFC 8628 section 3.5. */
export type DeviceRefusal =
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant';

export type DeviceToken =
  | { access_token: string; organization_id: string; scope: string; expires_in: number }
  | { error: DeviceRefusal };

type DeviceDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  api_keys: ApiKeyService;
  /** A program uses the key, so it starts with budgets. */
  limitKey: CredentialLimits['addDefaults'];
  /** How long the key of a device is valid. */
  key_days: number;
  baseUrl(): string;
};
type Deps = DeviceDeps & { store: DeviceStore };
type Decision = { user_code: string; organization_id: string; approved: boolean };

/** Accepts upper and lower case, with or without the dash. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code) ? `${code.slice(0, 4)}-${code.slice(4)}` : null;
}

const newUserCode = () =>
  readUserCode(Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join(''))!;

export function deviceLogins(device_deps: DeviceDeps) {
  const deps: Deps = { ...device_deps, store: deviceStore(device_deps.db) };
  const { clock, store } = deps;
  const jobs: JobHandler[] = [
    {
      kind: 'forget_device_logins',
      every_seconds: 3600,
      run: () => store.deleteExpiredBefore(new Date(clock.ms() - 3_600_000)),
    },
  ];
  return {
    jobs,
    start: (client_id: string, scopes: string[]) => start(deps, client_id, scopes),
    findUndecided: (user_code: string) => findUndecided(deps, user_code),
    decide: (actor: Actor & { user_id: string }, decision: Decision) => decide(deps, actor, decision),
    redeem: (actor: Actor, client_id: string, device_code: string) =>
      redeem(deps, actor, client_id, device_code),
  };
}
export type DeviceLogins = ReturnType<typeof deviceLogins>;

const keyExpiry = ({ clock, key_days }: Deps) => new Date(clock.ms() + key_days * 86_400_000);

async function start({ clock, ids, store, baseUrl }: Deps, client_id: string, scopes: string[]) {
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
  const verification_uri = `${baseUrl()}/auth/device`;
  return {
    device_code,
    user_code,
    verification_uri,
    verification_uri_complete: `${verification_uri}?user_code=${user_code}`,
    expires_in: lifetime_seconds,
    interval: first_interval_seconds,
  };
}

/** What the approval page shows of a login that waits for a decision. */
async function findUndecided(
  deps: Deps,
  user_code: string,
): Promise<{ client: string; scopes: string[]; key_expires_at: Date } | null> {
  const login = await deps.store.findUndecided(deps.db, user_code, deps.clock.now());
  return (
    login && {
      client: device_clients[login.client_id] ?? login.client_id,
      scopes: login.scopes,
      key_expires_at: keyExpiry(deps),
    }
  );
}

/** False when the code is unknown, expired or already decided. */
async function decide(
  deps: Deps,
  actor: Actor & { user_id: string },
  { user_code, organization_id, approved }: Decision,
): Promise<boolean> {
  const { store, audit } = deps;
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const login = await store.findUndecided(tx, user_code, now);
    if (!login) return false;
    const { id } = login;
    const key_expires_at = keyExpiry(deps);
    const decision = { id, user_id: actor.user_id, approved, now, key_expires_at };
    if (!(await store.decide(tx, organization_id, decision))) return false;
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
}

/** The device polls whether it was approved. */
async function redeem(
  deps: Deps,
  actor: Actor,
  client_id: string,
  device_code: string,
): Promise<DeviceToken> {
  const { store } = deps;
  try {
    return await deps.db.transaction(async (tx): Promise<DeviceToken> => {
      const login = await store.lockByDeviceCode(tx, sha256Base64url(device_code));
      if (!login || login.client_id !== client_id || login.used) return { error: 'invalid_grant' };
      const now = deps.clock.now();
      if (login.expires_ms <= now.getTime()) return { error: 'expired_token' };
      if (login.denied) return { error: 'access_denied' };
      return login.approved ? issueKey(deps, tx, actor, login, now) : countPoll(deps, tx, login, now);
    });
  } catch (error) {
    // The membership ended after the approval, or the organization has reached its limit of keys.
    if (error instanceof ApiError && (error.code === 'not_found' || error.code === 'too_many_keys'))
      return { error: 'access_denied' };
    throw error;
  }
}

async function countPoll(
  { store }: Deps,
  tx: Transaction,
  login: DeviceLogin,
  now: Date,
): Promise<DeviceToken> {
  const wait_ms = login.interval_seconds * 1000;
  const is_too_fast = login.last_polled_ms !== null && now.getTime() - login.last_polled_ms < wait_ms;
  const interval = login.interval_seconds + (is_too_fast ? slow_down_seconds : 0);
  await store.storePoll(tx, login.id, now, interval);
  return { error: is_too_fast ? 'slow_down' : 'authorization_pending' };
}

/** The key and the use of the code are one transaction: after a crash the code still works, and the device polls again. */
async function issueKey(
  deps: Deps,
  tx: Transaction,
  actor: Actor,
  login: DeviceLogin,
  now: Date,
): Promise<DeviceToken> {
  const expires_at = login.key_expires_ms === null ? keyExpiry(deps) : new Date(login.key_expires_ms);
  const owner = { organization_id: login.organization_id!, user_id: login.user_id! };
  const key = await deps.api_keys.issue(tx, { ...actor, user_id: owner.user_id }, owner, {
    name: device_clients[login.client_id] ?? login.client_id,
    scopes: login.scopes,
    expires_at: expires_at.toISOString(),
  });
  await deps.limitKey(tx, { ...owner, kind: 'api_key', id: key.id });
  await deps.store.markUsed(tx, login.id, now);
  return {
    access_token: key.key,
    organization_id: key.organization_id,
    scope: key.scopes.join(' '),
    expires_in: Math.floor((expires_at.getTime() - now.getTime()) / 1000),
  };
}
