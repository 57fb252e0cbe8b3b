// The approval check of admission: applies the policy, requests approvals, and compares what leaves with what was approved.

import { limits } from '@parley/contract/limits';
import { type ApprovalRule, approval_rule_defaults } from '@parley/contract/rules/approvals/approval-policy';
import { type Approval, approvalLifecycle } from '@parley/contract/rules/approvals/approvals';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../platform/clock.ts';
import { sha256Base64url } from '../../../platform/crypto.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import { canonicalJson } from '../../../protocols/canonical-json.ts';
import type { GatedRequest, Payload, Principal, Stage, Verdict } from '../admission/index.ts';
import type { Funds } from '../funds/index.ts';
import type { SendingRules, SendingRulesFeature } from '../sending-rules/index.ts';
import { eventData } from './event-data.ts';
import type { ApprovalLinks } from './links/links.ts';
import type { Parties } from './parties/parties.ts';
import { firstMatch, isSentByPerson, type Match, type Reason, type SendingFacts } from './rules.ts';
import { type ApprovalStore, type ApprovalTerms, approval_columns, type StoredApproval } from './store.ts';

export type GateDeps = {
  clock: Clock;
  ids: Ids;
  outbox: Outbox;
  move: Mover;
  store: ApprovalStore;
  rules: Pick<SendingRulesFeature, 'of'>;
  parties: Parties;
  funds: Pick<Funds, 'prices' | 'recentPrices'>;
  links: Pick<ApprovalLinks, 'send'>;
  /** Whether the recipients may not be contacted at this time of day. */
  isOutsideHours(request: GatedRequest): Promise<boolean>;
};

const skip: Verdict = { outcome: 'skip' };

export type ApprovalGate = ReturnType<typeof approvalGate>;
export const payloadHash = (payload: Payload): string => sha256Base64url(canonicalJson(payload));
/** The hash of a batch: a record that is added, removed or changed makes it another one. */
export const batchHash = (payloads: Record<string, string>): string =>
  sha256Base64url(canonicalJson(payloads));

export const approvalGate = (deps: GateDeps) => ({
  /** Returns a promise only for organizations with a policy and for replies that need an approval. */
  judge(stage: Stage, request: GatedRequest): Verdict | Promise<Verdict> {
    const rules = deps.rules.of(request.organization_id!);
    if (rules instanceof Promise) return rules.then((now) => judge(deps, stage, request, now));
    return judge(deps, stage, request, rules);
  },
});

function judge(
  deps: GateDeps,
  stage: Stage,
  request: GatedRequest,
  rules: SendingRules,
): Verdict | Promise<Verdict> {
  const { approval_policy: policy, version } = rules;
  const approval_id = stage === 'hand_over' ? (request.terms?.approval_id ?? null) : null;
  if (approval_id !== null) return judgeApproved(deps, request, rules, approval_id);
  if (stage === 'create' && request.needs_approval)
    return judgeReply(deps, request, rules, request.needs_approval);
  if (policy === null) return skip;
  if (isSentByPerson(request.principal ?? null)) return { outcome: 'allow', detail: 'person' };
  return firstMatch(policy, factsOf(deps, request, rules)).then((match) =>
    match ? verdictOf(deps, request, match, version) : { outcome: 'allow' },
  );
}

const reply_rule = {
  name: 'Replies of the agent',
  approvers: approval_rule_defaults.approvers,
  decide_by: approval_rule_defaults.decide_by,
  expires_in_seconds: 72 * 3600,
};

/** The policy may still refuse it, or name other approvers; it cannot let it pass. */
async function judgeReply(
  deps: GateDeps,
  request: GatedRequest,
  rules: SendingRules,
  reason: Reason,
): Promise<Verdict> {
  const { approval_policy: policy, version: policy_version } = rules;
  const match = policy ? await firstMatch(policy, factsOf(deps, request, rules)) : null;
  if (match?.rule.then === 'refuse') return refused(match);
  return match?.rule.then === 'hold'
    ? requestApproval(deps, request, { rule: match.rule, reasons: [reason, match.reason], policy_version })
    : requestApproval(deps, request, { rule: reply_rule, reasons: [reason], policy_version });
}

const refused = (match: Match): Verdict => ({
  outcome: 'refuse',
  reason: 'not_allowed',
  error: new ApiError('not_allowed_by_policy', { detail: `${match.rule.name}: ${match.reason.message}` }),
});

function verdictOf(
  deps: GateDeps,
  request: GatedRequest,
  match: Match,
  policy_version: number,
): Verdict | Promise<Verdict> {
  const { rule, reason } = match;
  if (rule.then === 'allow') return { outcome: 'allow', detail: rule.name };
  if (rule.then === 'refuse') return refused(match);
  return requestApproval(deps, request, { rule, reasons: [reason], policy_version });
}

/** The record was approved. The approval is valid for the same payload and a price that is not higher. */
async function judgeApproved(
  deps: GateDeps,
  request: GatedRequest,
  rules: SendingRules,
  approval_id: string,
): Promise<Verdict> {
  const { approval_policy: policy, version } = rules;
  const match = policy ? await firstMatch(policy, factsOf(deps, request, rules)) : null;
  if (match?.rule.then === 'refuse') return refused(match);
  const approval = await deps.store.find(request.organization_id!, approval_id);
  if (!approval || !request.payload || !request.record) {
    return match ? verdictOf(deps, request, match, version) : { outcome: 'allow' };
  }
  const hash = payloadHash(await request.payload());
  const approved_hash = approval.terms.payloads?.[request.record.id] ?? approval.payload_sha256;
  if (approval.status === 'approved' && hash === approved_hash) {
    const micros = await currentPrice(deps, approval);
    if (micros > approval.quoted_price_micros) return dearer(deps, approval, micros);
    return { outcome: 'allow', detail: `approved: ${approval_id}` };
  }
  const reason: Reason = { code: 'payload_changed', message: 'It differs from what was approved.' };
  const { approvers, decide_by, expires_in_seconds } = approval.terms;
  const rule = { name: approval.rule, approvers, decide_by, expires_in_seconds };
  return requestApproval(deps, request, { rule, reasons: [reason], policy_version: version });
}

const holdOf = ({ id, expires_at, rule }: Pick<Approval, 'id' | 'expires_at' | 'rule'>): Hold => ({
  kind: 'approval',
  until: expires_at,
  approval_id: id,
  message: `A person must approve it (rule: ${rule}).`,
});

/** Back to pending with a new quote: the approver agreed to the old price. */
function dearer(deps: GateDeps, approval: StoredApproval, micros: number): Verdict {
  const { organization_id, id } = approval;
  const expires_at = expiryOf(deps, approval.terms.expires_in_seconds);
  return {
    outcome: 'hold',
    hold: holdOf({ ...approval, expires_at }),
    detail: approval.rule,
    async commit(tx) {
      await deps.move<typeof approvalLifecycle, StoredApproval>(tx, {
        lifecycle: approvalLifecycle,
        table: 'approvals',
        organization_id,
        id,
        trigger: 'became_dearer',
        set: {
          quoted_price_micros: micros,
          expires_at,
          decided_at: null,
          decided_by: null,
          decided_via: null,
        },
        returning: approval_columns,
        event: (record) => ({ data: eventData(record) }),
      });
      await deps.links.send(tx, { ...approval, expires_at, quoted_price_micros: micros });
    },
  };
}

/** By the price list of now. */
export async function currentPrice(
  { funds }: { funds: Pick<Funds, 'prices'> },
  { terms }: Pick<StoredApproval, 'terms'>,
): Promise<number> {
  if (terms.charges.length === 0) return 0;
  const prices = await funds.prices();
  return terms.charges.reduce((sum, { item, quantity }) => sum + prices[item] * quantity, 0);
}

const expiryOf = ({ clock }: GateDeps, seconds: number) =>
  new Date(clock.ms() + seconds * 1000).toISOString();

type Cause = {
  rule: Pick<ApprovalRule, 'name' | 'approvers' | 'decide_by' | 'expires_in_seconds'>;
  reasons: Reason[];
  policy_version: number;
};

const requesterOf = (principal: Principal | null): Pick<ApprovalTerms, 'requester'> => {
  const { lineage, owner_id } = principal ?? {};
  if (!lineage && !owner_id) return {};
  return { requester: { ...(lineage && { lineage }), ...(owner_id && { owner_id }) } };
};

/** The approval is stored by `commit`, in the transaction of the record. */
async function requestApproval(
  deps: GateDeps,
  request: GatedRequest,
  { rule, reasons, policy_version }: Cause,
): Promise<Verdict> {
  const { record, payload, charge, batch } = request;
  if (!record || !payload) {
    // Fails closed: what cannot be shown cannot be approved.
    const detail = `${rule.name}: ${reasons[0]!.message} It cannot wait for an approval.`;
    return {
      outcome: 'refuse',
      reason: 'not_allowed',
      error: new ApiError('not_allowed_by_policy', { detail }),
    };
  }
  const visible_payload = JSON.parse(JSON.stringify(await payload())) as Payload;
  const hash = payloadHash(visible_payload);
  const payloads = batch ? { [record.id]: hash } : null;
  const charges = charge ? [{ item: charge.item, quantity: charge.quantity }] : [];
  const { name, approvers, decide_by, expires_in_seconds } = rule;
  const requester = requesterOf(request.principal ?? null);
  const terms = { approvers, decide_by, expires_in_seconds, charges, payloads, ...requester };
  const { kind = 'unknown', credential_id = null, agent_id = null } = request.principal ?? {};
  const approval: StoredApproval = {
    id: batch ? batch.id : deps.ids.next(),
    organization_id: request.organization_id!,
    status: approvalLifecycle.initial,
    object: batch ? { noun: 'email_batch', id: batch.id } : record,
    payload_sha256: payloads ? batchHash(payloads) : hash,
    quoted_price_micros: await currentPrice(deps, { terms }),
    shown: visible_payload as Approval['shown'],
    messages: batch ? [visible_payload as Approval['shown']] : [],
    reasons,
    rule: name,
    policy_version,
    requested_by: { kind, credential_id, agent_id },
    requested_at: deps.clock.now().toISOString(),
    expires_at: expiryOf(deps, expires_in_seconds),
    decided_at: null,
    decided_by: null,
    decided_via: null,
    note: null,
    content_erased_at: null,
    terms,
  };
  return {
    outcome: 'hold',
    hold: holdOf(approval),
    detail: name,
    commit: (tx) => storeApproval(deps, tx, approval),
  };
}

export async function storeApproval(
  deps: GateDeps,
  tx: Transaction,
  approval: StoredApproval,
): Promise<void> {
  const { organization_id, id, terms } = approval;
  const pending = await deps.store.countPending(tx, organization_id);
  const existing = await deps.store.lock(tx, organization_id, id);
  if (existing) return terms.payloads ? joinBatch(deps, tx, existing, approval) : undefined;
  if (pending >= limits.approvals_pending) throw new ApiError('too_many_approvals');
  await deps.store.insert(tx, organization_id, approval);
  await deps.outbox.write(tx, [
    { type: 'approval.requested', organization_id, resource_id: id, data: eventData(approval) },
  ]);
  await deps.links.send(tx, approval);
}

/** A person decides about a batch as a whole, so its further messages join the approval of the first one. */
async function joinBatch(
  { store }: GateDeps,
  tx: Transaction,
  existing: StoredApproval,
  added: StoredApproval,
): Promise<void> {
  const [[record_id, hash] = ['', '']] = Object.entries(added.terms.payloads ?? {});
  if (existing.terms.payloads?.[record_id] === hash) return;
  const payloads = { ...existing.terms.payloads, [record_id]: hash };
  await store.addMessage(tx, existing.organization_id, {
    ...existing,
    payload_sha256: batchHash(payloads),
    quoted_price_micros: existing.quoted_price_micros + added.quoted_price_micros,
    messages: [...existing.messages, ...added.messages],
    terms: { ...existing.terms, payloads, charges: [...existing.terms.charges, ...added.terms.charges] },
  });
}

function factsOf(deps: GateDeps, request: GatedRequest, rules: SendingRules): SendingFacts {
  const { recipients, charge, batch, payload, terms } = request;
  const organization_id = request.organization_id!;
  return {
    channel: request.channel,
    principal: request.principal ?? null,
    is_unknown_sender: request.principal == null,
    recipients,
    purpose: request.purpose ?? 'conversational',
    batch_size: batch?.size ?? terms?.batch_size ?? 1,
    hasAttachment: async () => payload !== undefined && (await payload()).attachments.length > 0,
    priceMicros: async () => (charge ? (await deps.funds.recentPrices())[charge.item] * charge.quantity : 0),
    unvouched: () => deps.parties.unvouched(organization_id, recipients, rules.trusted_recipients ?? []),
    newOnes: () => deps.parties.newOnes(organization_id, recipients),
    isOutsideHours: () => deps.isOutsideHours(request),
  };
}
