// Approvals: a policy decides which messages and calls wait for a person, and people decide about exactly what they see.
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import type { SystemMailSender } from '../../../platform/system-mail.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { GatedRequest, WaitingRecords } from '../admission/index.ts';
import type { Funds } from '../funds/index.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import { approverStore } from './approvers/approver-store.ts';
import { approve, type DecisionDeps, expiryJob, reject, type WaitingNoun, withdraw } from './decisions.ts';
import { exitStore } from './exits/exit-store.ts';
import { admitExit, type ExitRequestInput, forgetExitsJob, waitingExits } from './exits/exits.ts';
import { approvalGate } from './gate.ts';
import { historyStore } from './history/history-store.ts';
import { eraseContentJob } from './history/retention.ts';
import { approvalRetentionStore } from './history/retention-store.ts';
import { addLinkPages, type LinkedDecision } from './links/link-pages.ts';
import { type ApprovalLinks, approvalLinks, canMail, type OpenedLink } from './links/links.ts';
import { partyFacts } from './parties/parties.ts';
import { partyStore } from './parties/party-store.ts';
import { policyService } from './policy.ts';
import { approvalRoutes } from './routes.ts';
import { approvalService } from './service.ts';
import { approvalStore, presentApproval } from './store.ts';
import { requestToolApproval, type ToolApprovalRequest } from './tool-approval.ts';

export type { WaitingNoun } from './decisions.ts';
export { approvalPersonalData } from './history/personal-data-store.ts';
export type { ToolApprovalRequest } from './tool-approval.ts';

export type ApprovalDeps = {
  db: Database;
  clock: Clock;
  /** Decides when content is old enough to be erased. */
  expiry_clock: Clock;
  /** How long the content of decided approvals is kept. */
  content_days: number;
  ids: Ids;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
  move: Mover;
  audit: AuditLog;
  rules: SendingRulesFeature;
  funds: Pick<Funds, 'prices' | 'recentPrices'>;
  mail: SystemMailSender;
  /** The channels, as they release, cancel and show what waits. */
  waitingRecords(noun: Exclude<WaitingNoun, 'configuration'>): WaitingRecords;
  /** Shows secrets of requests that wait as keyed hashes. */
  partyHash: PartyHash;
  isOutsideHours(request: GatedRequest): Promise<boolean>;
  has_operator_key: boolean;
  draining: AbortSignal;
  baseUrl(): string;
  wall_clock: Clock;
  /** Signs the forms of link pages. */
  form_key: Buffer;
  /** Who is signed in to the account pages; null where links to decide need no sign-in. */
  signedIn: ((request: FastifyRequest) => Promise<{ user_id: string } | null>) | null;
};

export function approvalFeature(feature_deps: ApprovalDeps) {
  const { db, unitOfWork } = feature_deps;
  const party_store = partyStore(db, feature_deps.clock);
  const exit_store = exitStore(db);
  const exits = waitingExits({ ...feature_deps, exit_store });
  const deps = {
    ...feature_deps,
    exit_store,
    waitingRecords: (noun: WaitingNoun) =>
      noun === 'configuration' ? exits : feature_deps.waitingRecords(noun),
    store: approvalStore(db, unitOfWork),
    approvers: approverStore(db),
    history: historyStore(db),
    retention: approvalRetentionStore(db),
    parties: partyFacts(party_store),
    party_store,
    canMail: () => canMail(feature_deps),
  };
  const links = approvalLinks(deps);
  const gate_deps = { ...deps, links };
  const service = approvalService(deps);
  const decideByLink = async (link: OpenedLink, decision: LinkedDecision, request: FastifyRequest) => {
    const decided = await decideLinked(deps, links, link, decision, request);
    service.notify(decided.organization_id);
    return decided;
  };
  const gate = approvalGate(gate_deps);
  return {
    gate,
    /** For requests that open a way out for data. */
    admitExit: (context: Context, request: ExitRequestInput) =>
      admitExit({ ...deps, gate }, context, request),
    /** For tools of agents. */
    tools: {
      async coverActs(organization_id: string): Promise<boolean> {
        return (await deps.rules.of(organization_id)).agent_approval === 'all_acts';
      },
      request: (tx: Transaction, request: ToolApprovalRequest) => requestToolApproval(gate_deps, tx, request),
    },
    async find(organization_id: string, id: string): Promise<Approval | null> {
      const approval = await deps.store.find(organization_id, id);
      return approval && presentApproval(approval);
    },
    /** For explain. */
    ofObject: async (organization_id: string, object_id: string): Promise<Approval[]> =>
      (await deps.store.ofObject(organization_id, object_id)).map(presentApproval),
    /** For channels: the caller cancels a record that waits for this approval. */
    withdraw: (tx: Transaction, approval: { organization_id: string; approval_id: string }) =>
      withdraw(deps, tx, approval),
    routes: approvalRoutes(service, policyService(deps)),
    jobs: [expiryJob(deps), eraseContentJob(deps), forgetExitsJob(deps)],
    addHttp: (http: FastifyInstance) =>
      addLinkPages(http, { ...feature_deps, open: links.open, decide: decideByLink }),
  };
}
export type Approvals = ReturnType<typeof approvalFeature>;

/** The link is used in the transaction of the decision, so a decision that fails leaves it valid. */
function decideLinked(
  deps: DecisionDeps,
  links: ApprovalLinks,
  link: OpenedLink,
  { decision, payload_sha256, note }: LinkedDecision,
  request: FastifyRequest,
) {
  const { approval, approver } = link;
  const given = {
    actor: {
      user_id: approver.user_id,
      credential_id: 'approval_link',
      ip: request.ip,
      request_id: request.id,
    },
    decided_by: approver.email,
    via: 'link' as const,
    note,
    guard: async (tx: Transaction) => {
      if (!(await links.use(tx, link))) throw new ApiError('approval_already_decided');
    },
  };
  return decision === 'approve'
    ? approve(deps, approval, payload_sha256, given)
    : reject(deps, approval, given);
}
