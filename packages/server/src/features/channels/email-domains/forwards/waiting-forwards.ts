// New forward addresses that a rule holds back: nothing is mailed or forwarded to them until a person approves.
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { Context } from '../../../../platform/http/context.ts';
import type { Ids } from '../../../../platform/ids.ts';
import {
  type GatedRequest,
  type Payload,
  principalOf,
  type Stage,
  type Verdict,
  type WaitingRecords,
  type WithdrawApproval,
} from '../../../rules/admission/index.ts';
import { type ForwardHold, forwardHolds } from './forward-hold-store.ts';

export type WaitingForwardDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  /** The approval policy. */
  approvals: { judge(stage: Stage, request: GatedRequest): Verdict | Promise<Verdict> };
  withdrawApproval: WithdrawApproval | null;
  /** Called after the commit that lets a forward begin or ends it. */
  changed(email_domain_id: string): void;
};

type Address = { address: string; key: string };
type NewHold = ForwardHold & { commit: ((tx: Transaction) => Promise<void>) | null };

export const waitingForwardAddresses = (deps: WaitingForwardDeps) => ({
  ofDomain: (organization_id: string, email_domain_id: string) =>
    forwardHolds.ofDomain(deps.db, organization_id, email_domain_id),
  /** Throws when a rule refuses an address. */
  judge: (context: Context, domain: EmailDomain, addresses: readonly Address[]) =>
    judge(deps, context, domain, addresses),

  async store(tx: Transaction, holds: readonly NewHold[]): Promise<void> {
    for (const { commit, ...hold } of holds) {
      const is_new = await forwardHolds.insert(tx, hold.organization_id, hold, deps.clock.now());
      if (is_new) await commit?.(tx);
    }
  },

  /** The organization no longer wants these addresses: nobody can decide about them any more. */
  async keepOnly(tx: Transaction, of: { organization_id: string; id: string }, keys: readonly string[]) {
    const { organization_id } = of;
    for (const hold of await forwardHolds.ofDomain(tx, organization_id, of.id)) {
      if (keys.includes(hold.address_key)) continue;
      if (!(await forwardHolds.take(tx, organization_id, hold.id))) continue;
      await deps.withdrawApproval?.(tx, { organization_id, approval_id: hold.approval_id });
    }
  },

  port: port(deps),
});
export type WaitingForwards = ReturnType<typeof waitingForwardAddresses>;

const payloadOf = (address: string, receives_at: string, email_domain_id: string): Payload => ({
  from: null,
  to: [address],
  cc: [],
  bcc: [],
  subject: `Forward all mail of ${receives_at} to ${address}`,
  body_text: null,
  body_html: null,
  attachments: [],
  more: { email_domain_id },
  scheduled_at: null,
});

const receivesAt = ({ kind, domain, default_address }: EmailDomain) =>
  kind === 'custom' ? domain : default_address;

async function judge(
  deps: WaitingForwardDeps,
  { caller, organization_id }: Context,
  domain: EmailDomain,
  addresses: readonly Address[],
): Promise<NewHold[]> {
  const holds: NewHold[] = [];
  for (const { address, key } of addresses) {
    const id = deps.ids.next();
    const verdict = await deps.approvals.judge('create', {
      organization_id,
      channel: 'forward_address',
      origin: 'api',
      recipients: [address],
      consent: 'configured',
      record: { noun: 'forward_address', id },
      principal: principalOf(caller),
      payload: () => payloadOf(address, receivesAt(domain), domain.id),
    });
    if (verdict.outcome === 'refuse' || verdict.outcome === 'defer') throw verdict.error;
    if (verdict.outcome !== 'hold') continue;
    const approval_id = verdict.hold.approval_id!;
    const hold = { organization_id, id, email_domain_id: domain.id, address, address_key: key, approval_id };
    holds.push({ ...hold, commit: verdict.commit ?? null });
  }
  return holds;
}

const port = (deps: WaitingForwardDeps): WaitingRecords => ({
  async release(tx, { organization_id, id }, { approval_id }) {
    const hold = await forwardHolds.take(tx, organization_id, id);
    if (hold?.approval_id !== approval_id) return false;
    tx.afterCommit(() => deps.changed(hold.email_domain_id));
    return true;
  },
  async cancel(tx, { organization_id, id }) {
    const hold = await forwardHolds.take(tx, organization_id, id);
    if (!hold) return false;
    await forwardHolds.removeAddress(tx, organization_id, hold, deps.clock.now());
    tx.afterCommit(() => deps.changed(hold.email_domain_id));
    return true;
  },
  async payload({ organization_id, id }) {
    const hold = await forwardHolds.find(deps.db, organization_id, id);
    return hold && payloadOf(hold.address, hold.receives_at, hold.email_domain_id);
  },
});

/** Addresses that are not in the list of the domain yet. */
export function addedTo({ forward_to, forward_pending }: EmailDomain, addresses: readonly Address[]) {
  const known = new Set([...forward_to, ...forward_pending].map(addressKey));
  return addresses.filter(({ key }) => !known.has(key));
}
