// Forward addresses: no mail is forwarded to an address before its owner confirmed it by a mailed link. The owner can stop it
// at any time.
import { addressKey, asciiDomain, type Mailbox } from '@parley/contract/schema/mailbox';
import type { Clock } from '../../../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../../../platform/crypto.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { IsReceivedHere } from '../senders/received-here.ts';
import { forwardRequestLimits, type LimitForwardRequest } from './forward-limits.ts';
import { confirmationMail } from './forward-mail.ts';
import {
  addLinks,
  confirmByLink,
  deleteOldRefusals,
  findByLink,
  findConfirmed,
  findPending,
  findUnrequested,
  insertRequest,
  isOnVerifiedDomain,
  isRefused,
  type LinkedForward,
  lockConfirmation,
  type PendingForward,
  refuse,
  removeOtherConfirmations,
} from './forward-store.ts';

export const forward_paths = { confirm: '/f/c/', stop: '/f/s/' } as const;

const day_ms = 86_400_000;
const link_days = 7;
const refusal_days = 30;
const batch_size = 100;

export type ForwardAddressDeps = {
  db: Database;
  /** Decides when links and refusals expire. */
  expiry_clock: Clock;
  ids: Ids;
  baseUrl(): string;
  /** Whether programs can read the confirmation mail, and so confirm it themselves. */
  isReceivedHere: IsReceivedHere;
  suppressedAmong(organization_id: string, addresses: string[]): Promise<string[]>;
  /** Mail of the service itself. */
  mail: {
    can_send: boolean;
    send(
      tx: Transaction,
      mail: {
        to: string;
        kind: string;
        subject: string;
        text: string;
        organization_id: null;
        reference: string;
      },
    ): Promise<void>;
  };
  /** Called after a change of the addresses that mail is forwarded to. */
  onChange(): void;
};

type Deps = ForwardAddressDeps & { limit: LimitForwardRequest };

export function forwardAddresses(forward_deps: ForwardAddressDeps) {
  const { db } = forward_deps;
  const deps: Deps = { ...forward_deps, limit: forwardRequestLimits(db) };
  const jobs: JobHandler[] = [
    {
      kind: 'ask_forward_addresses',
      every_seconds: 600,
      async run() {
        await requestNew(deps, null);
        await deleteOldRefusals(db, refusedSince(deps));
      },
    },
  ];
  return {
    jobs,
    unique,
    requireConfirmable: (organization_id: string, added: readonly { address: string }[]) =>
      requireConfirmable(deps, organization_id, added),
    removeOthers: removeOtherConfirmations,
    confirmed: (organization_id: string, email_domain_id: string) =>
      findConfirmed(db, organization_id, email_domain_id),
    requestNew: (email_domain_id: string) => requestNew(deps, email_domain_id),
    requestAgain: (organization_id: string, email_domain_id: string, address: string) =>
      requestAgain(deps, organization_id, email_domain_id, address),
    open: (kind: keyof typeof forward_paths, token: string) => open(deps, kind, token),
    confirm: (token: string) => confirm(deps, token),
    stop: (token: string) => stop(deps, token),
  };
}
export type ForwardAddresses = ReturnType<typeof forwardAddresses>;

const refusedSince = ({ expiry_clock }: Deps) => new Date(expiry_clock.ms() - refusal_days * day_ms);

const isSuppressed = async (deps: Deps, { organization_id, address }: PendingForward) =>
  (await deps.suppressedAmong(organization_id, [address])).length > 0;

/** Removes repeated addresses, and writes domains in ASCII. */
function unique(mailboxes: readonly Mailbox[]): { address: string; key: string }[] {
  const by_key = new Map<string, string>();
  for (const { address } of mailboxes) {
    const key = addressKey(address);
    if (!by_key.has(key)) by_key.set(key, asciiDomain(address));
  }
  return [...by_key].map(([key, address]) => ({ key, address }));
}

/** An address on a domain of the organization needs no confirmation; nobody may be asked at another one that is received here. */
async function requireConfirmable(
  deps: Deps,
  organization_id: string,
  added: readonly { address: string }[],
): Promise<void> {
  for (const { address } of added) {
    if (await isOnVerifiedDomain(deps.db, organization_id, address)) continue;
    if (!(await deps.isReceivedHere(address))) continue;
    throw new ApiError('address_received_here', {
      detail: `${address} cannot confirm the forwarding: programs can read its mail here.`,
      path: 'body.forward_to',
    });
  }
}

/** Sends the first confirmation mail to new addresses. An address over a limit is left for a later run of the job. */
async function requestNew(deps: Deps, email_domain_id: string | null): Promise<void> {
  if (!deps.mail.can_send) return;
  for (const forward of await findUnrequested(deps.db, email_domain_id, batch_size)) {
    const key = addressKey(forward.address);
    if (await isRefused(deps.db, forward.organization_id, key, refusedSince(deps))) continue;
    if (await isSuppressed(deps, forward)) continue;
    if (await deps.isReceivedHere(forward.address)) continue;
    if ((await deps.limit(forward.organization_id, key)).outcome === 'allow')
      await sendRequest(deps, forward, false);
  }
}

async function requestAgain(
  deps: Deps,
  organization_id: string,
  email_domain_id: string,
  address: string,
): Promise<void> {
  const key = addressKey(address);
  const pending = await findPending(deps.db, organization_id, email_domain_id);
  const forward = pending.find((each) => addressKey(each.address) === key);
  if (!forward) throw new ApiError('forward_not_pending', { path: 'body.address' });
  if (forward.is_held) throw new ApiError('held', { detail: 'A person must approve the address first.' });
  if (await isRefused(deps.db, organization_id, key, refusedSince(deps)))
    throw new ApiError('forward_refused', { path: 'body.address' });
  if (await isSuppressed(deps, forward)) throw new ApiError('recipient_suppressed', { path: 'body.address' });
  if (await deps.isReceivedHere(forward.address))
    throw new ApiError('address_received_here', { path: 'body.address' });
  if (!deps.mail.can_send) throw new ApiError('system_mail_not_configured');
  const limited = await deps.limit(organization_id, key);
  if (limited.outcome === 'refuse') throw limited.error;
  // `skip` looks like success: this organization must not learn how often others wrote to the address.
  if (limited.outcome === 'allow') await sendRequest(deps, forward, true);
}

/** Stores the request and enqueues its mail in one transaction. */
function sendRequest(deps: Deps, forward: PendingForward, is_repeated: boolean): Promise<void> {
  const { ids, expiry_clock } = deps;
  return deps.db.transaction(async (tx) => {
    const now = expiry_clock.now();
    const address_key = addressKey(forward.address);
    const confirmation_id = await insertRequest(tx, {
      ...forward,
      id: ids.next(),
      address_key,
      now,
      is_repeated,
    });
    if (confirmation_id === null) return;
    const tokens = { confirm: randomToken(''), stop: randomToken('') };
    await addLinks(tx, confirmation_id, [
      {
        token_hash: sha256Base64url(tokens.confirm),
        kind: 'confirm',
        expires_at: new Date(now.getTime() + link_days * day_ms),
      },
      { token_hash: sha256Base64url(tokens.stop), kind: 'stop', expires_at: null },
    ]);
    const { receives_at, address } = forward;
    const base_url = deps.baseUrl();
    const message = confirmationMail({
      receives_at,
      address,
      link_days,
      confirm_url: base_url + forward_paths.confirm + tokens.confirm,
      stop_url: base_url + forward_paths.stop + tokens.stop,
    });
    // Of no organization: its sandbox outbox, which its programs can read, must not show the link.
    await deps.mail.send(tx, { to: address, organization_id: null, reference: ids.next(), ...message });
  });
}

async function open(
  { db, expiry_clock }: Deps,
  kind: keyof typeof forward_paths,
  token: string,
): Promise<LinkedForward | null> {
  return /^[\w-]{43}$/.test(token) ? findByLink(db, sha256Base64url(token), kind, expiry_clock.now()) : null;
}

/** False if the link was used, expired or never existed. */
async function confirm(deps: Deps, token: string): Promise<boolean> {
  const forward = await open(deps, 'confirm', token);
  if (!forward) return false;
  const is_used = await deps.db.transaction(async (tx) => {
    await lockConfirmation(tx, forward.confirmation_id);
    return confirmByLink(tx, sha256Base64url(token), forward.confirmation_id, deps.expiry_clock.now());
  });
  deps.onChange();
  return is_used;
}

/** Refuses a request, or ends confirmed forwards. False if the link never existed. */
async function stop(deps: Deps, token: string): Promise<boolean> {
  const forward = await open(deps, 'stop', token);
  if (!forward) return false;
  await deps.db.transaction(async (tx) => {
    await lockConfirmation(tx, forward.confirmation_id);
    await refuse(tx, forward.confirmation_id, deps.expiry_clock.now());
  });
  deps.onChange();
  return true;
}
