// Forward addresses: nothing goes to one before its owner opened the mailed link and agreed, and the owner can stop it at any time.
import { addressKey, asciiDomain, type Mailbox } from '@parley/contract/mailbox';
import type { Clock } from '../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../platform/crypto.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { rateLimiter, type Verdict } from '../../platform/rate-limit.ts';
import { confirmationMail } from './forward-mail.ts';
import { forwardStore, type LinkedForward, type WantedForward } from './forward-store.ts';

export const forward_paths = { confirm: '/f/c/', stop: '/f/s/' } as const;

const day_ms = 86_400_000;
const link_days = 7;
const refusal_days = 30;
const batch = 100;
/** Mails a day: to one address of one organization, of one organization, and to one address by all organizations. */
const allowed = { own_address: 3, organization: 50, address: 10 } as const;

export type ForwardAddressDeps = {
  db: Database;
  /** Links and refusals end by it. */
  expiry_clock: Clock;
  ids: Ids;
  baseUrl(): string;
  suppressedAmong(organization_id: string, addresses: string[]): Promise<string[]>;
  /** Mail that the service itself writes. */
  mail: {
    can_send: boolean;
    send(
      tx: Transaction,
      mail: {
        to: string;
        kind: string;
        subject: string;
        text: string;
        organization_id: string;
        reference: string;
      },
    ): Promise<void>;
  };
  /** Where mail goes has changed. */
  changed(): void;
};

export function forwardAddresses(deps: ForwardAddressDeps) {
  const { db, expiry_clock: clock, ids } = deps;
  const store = forwardStore(db);
  const mayAsk = askLimits(db);
  const refusedSince = () => new Date(clock.ms() - refusal_days * day_ms);

  /** Writes the request and its mail in one transaction. */
  const ask = (forward: WantedForward, is_again: boolean): Promise<void> =>
    db.transaction(async (tx) => {
      const now = clock.now();
      const row = { ...forward, id: ids.next(), address_key: addressKey(forward.address), now, is_again };
      const confirmation_id = await store.ask(tx, row);
      if (confirmation_id === null) return;
      const tokens = { confirm: randomToken(''), stop: randomToken('') };
      await store.addLinks(tx, confirmation_id, [
        {
          token_hash: sha256Base64url(tokens.confirm),
          kind: 'confirm',
          expires_at: new Date(now.getTime() + link_days * day_ms),
        },
        { token_hash: sha256Base64url(tokens.stop), kind: 'stop', expires_at: null },
      ]);
      const { organization_id, receives_at, address } = forward;
      const base_url = deps.baseUrl();
      const message = confirmationMail({
        receives_at,
        address,
        link_days,
        confirm_url: base_url + forward_paths.confirm + tokens.confirm,
        stop_url: base_url + forward_paths.stop + tokens.stop,
      });
      await deps.mail.send(tx, { to: address, organization_id, reference: ids.next(), ...message });
    });

  const isSuppressed = async ({ organization_id, address }: WantedForward) =>
    (await deps.suppressedAmong(organization_id, [address])).length > 0;

  /** Asks the owners that were never asked. Who may not be asked now is asked by a later run. */
  const askNew = async (email_domain_id: string | null): Promise<void> => {
    if (!deps.mail.can_send) return;
    for (const forward of await store.unasked(email_domain_id, batch)) {
      const key = addressKey(forward.address);
      if (await store.isRefused(forward.organization_id, key, refusedSince())) continue;
      if (await isSuppressed(forward)) continue;
      if ((await mayAsk(forward.organization_id, key)).outcome === 'allow') await ask(forward, false);
    }
  };

  const askAgain = async (
    organization_id: string,
    email_domain_id: string,
    address: string,
  ): Promise<void> => {
    const key = addressKey(address);
    const pending = await store.pending(organization_id, email_domain_id);
    const forward = pending.find((each) => addressKey(each.address) === key);
    if (!forward) throw new ApiError('forward_not_pending', { path: 'body.address' });
    if (await store.isRefused(organization_id, key, refusedSince()))
      throw new ApiError('forward_refused', { path: 'body.address' });
    if (await isSuppressed(forward)) throw new ApiError('recipient_suppressed', { path: 'body.address' });
    if (!deps.mail.can_send) throw new ApiError('system_mail_not_configured');
    const verdict = await mayAsk(organization_id, key);
    if (verdict.outcome === 'refuse') throw verdict.error;
    // Others wrote to the address too often: that is nobody's business here, so it looks like success.
    if (verdict.outcome === 'allow') await ask(forward, true);
  };

  const open = async (kind: keyof typeof forward_paths, token: string): Promise<LinkedForward | null> =>
    /^[\w-]{43}$/.test(token) ? store.linked(sha256Base64url(token), kind, clock.now()) : null;

  const jobs: JobHandler[] = [
    {
      kind: 'ask_forward_addresses',
      every_seconds: 600,
      async run() {
        await askNew(null);
        await store.forgetRefusals(refusedSince());
      },
    },
  ];

  return {
    jobs,
    askNew,
    askAgain,
    open,
    confirmed: store.confirmed,
    keepOnly: store.keepOnly,

    /** Each person once, in the form that mail servers know. */
    wanted(given: readonly Mailbox[]): { address: string; key: string }[] {
      const by_key = new Map<string, string>();
      for (const { address } of given) {
        const key = addressKey(address);
        if (!by_key.has(key)) by_key.set(key, asciiDomain(address));
      }
      return [...by_key].map(([key, address]) => ({ key, address }));
    },

    /** False when the link was used, ended or never existed. */
    async confirm(token: string): Promise<boolean> {
      const forward = await open('confirm', token);
      if (!forward) return false;
      const is_used = await db.transaction(async (tx) => {
        await store.lock(tx, forward.confirmation_id);
        return store.confirm(tx, sha256Base64url(token), forward.confirmation_id, clock.now());
      });
      deps.changed();
      return is_used;
    },

    /** Refuses what was asked, and ends what was agreed to. */
    async stop(token: string): Promise<boolean> {
      const forward = await open('stop', token);
      if (!forward) return false;
      await db.transaction(async (tx) => {
        await store.lock(tx, forward.confirmation_id);
        await store.refuse(tx, forward.confirmation_id, clock.now());
      });
      deps.changed();
      return true;
    },
  };
}
export type ForwardAddresses = ReturnType<typeof forwardAddresses>;

/** `skip`: all organizations together wrote to the address too often, which one of them is not told. */
function askLimits(db: Database) {
  const perDay = (limit: number) => rateLimiter({ db, limit_per_minute: limit, window_ms: day_ms });
  const limiters = {
    own_address: perDay(allowed.own_address),
    organization: perDay(allowed.organization),
    address: perDay(allowed.address),
  };
  const refusal = (verdict: Verdict) =>
    new ApiError('rate_limited', {
      detail: 'Too many confirmation mails today.',
      retry_after_seconds: verdict.retry_after_seconds,
      rate_limit: { ...verdict, remaining: 0 },
    });

  return async (
    organization_id: string,
    address_key: string,
  ): Promise<{ outcome: 'allow' | 'skip' } | { outcome: 'refuse'; error: ApiError }> => {
    // Hashed, so that the table of counters holds no addresses of people.
    const address = sha256Base64url(address_key);
    const own = await limiters.own_address.take(`forward:${organization_id}:${address}`);
    if (!own.allowed) return { outcome: 'refuse', error: refusal(own) };
    const all = await limiters.organization.take(`forward:${organization_id}`);
    if (!all.allowed) return { outcome: 'refuse', error: refusal(all) };
    return { outcome: (await limiters.address.take(`forward::${address}`)).allowed ? 'allow' : 'skip' };
  };
}
