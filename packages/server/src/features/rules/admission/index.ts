// Admission: one decision for everything that the service sends, at create and again at hand-over.
import type { Destinations } from '../../../config/admission.ts';
import type { Config } from '../../../config/config.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import { keyedTtlCache, ttlCache } from '../../../platform/ttl-cache.ts';
import type { ConversationGate } from '../../access/conversation-tokens/index.ts';
import type { ConsentGate } from '../consents/index.ts';
import type { Funds } from '../funds/index.ts';
import type { ChannelLimits } from '../limits/index.ts';
import type { QuietHoursJudge } from '../quiet-hours/index.ts';
import type { RecipientLimiter } from '../recipient-limits/index.ts';
import { contactRulesOf, type SendingRulesFeature } from '../sending-rules/index.ts';
import type { Check } from './admission.ts';
import { admitBy, tracedAdmit } from './admit.ts';
import { type AgentCreators, withAgentLineage } from './agent-lineage.ts';
import { type ApprovalGate, approvalCheck } from './checks/approval.ts';
import { budgetCheck } from './checks/budget.ts';
import { consentCheck } from './checks/consent.ts';
import { conversationCheck } from './checks/conversation.ts';
import { destinationCheck } from './checks/destination.ts';
import { fundsCheck } from './checks/funds.ts';
import { killSwitchCheck } from './checks/kill-switch.ts';
import { llmCheck } from './checks/llm.ts';
import { quietHoursCheck } from './checks/quiet-hours.ts';
import { recipientsCheck } from './checks/recipients.ts';
import { suppressionCheck } from './checks/suppression.ts';
import { velocityCheck } from './checks/velocity.ts';
import { readNumber } from './destinations.ts';
import type { GuardedCarriers } from './ports.ts';

export {
  type AdmissionRequest,
  type ApprovalNeed,
  admissionText,
  type Condition,
  type CreateDecision,
  type GatedRequest,
  type HandOverDecision,
  type Origin,
  type Payload,
  type RefusalReason,
  type SendingTerms,
  type Stage,
  type Stopped,
  stoppedBecause,
  type Verdict,
} from './admission.ts';
export { judgeHours } from './checks/quiet-hours.ts';
export { dueAt, scheduleHold } from './holds/holds.ts';
export { countHandOver, refusedAtCommit } from './holds/refused-at-commit.ts';
export type {
  WaitingEndReason,
  WaitingRecords,
  WaitingRef,
  WithdrawApproval,
} from './holds/waiting-records.ts';
export { approvedState, movedState, newApproval, type WaitingState } from './holds/waiting-state.ts';
export {
  type GuardedCarrier,
  type GuardedCarriers,
  type GuardedTransport,
  type GuardedVoice,
  guardCarriers,
  guardTransport,
} from './ports.ts';
export {
  type AgentSender,
  agentInConversation,
  agentPrincipal,
  agentSender,
  credentialsOf,
  type Principal,
  principalOf,
  type SendingCaller,
  spenderOfPrincipal,
} from './principal.ts';
export type { Admitted } from './proof.ts';
export { readSchedule } from './schedule.ts';
export { default_terms, handOverTerms, newTerms } from './terms.ts';
export { readNumber };

const countries_age_ms = 2000;
const providers_age_ms = 1000;
const max_organizations = 10_000;

export type AdmissionDeps = {
  config: Pick<
    Config,
    'PARLEY_DESTINATIONS' | 'PARLEY_COUNTRY' | 'own_numbers' | 'PARLEY_OFFLINE_LLM_ON_REAL_CALLS'
  >;
  limits: Pick<ChannelLimits, 'isStopped' | 'capOf' | 'count' | 'fullError'>;
  funds: Pick<Funds, 'charging' | 'charge' | 'covers'>;
  budgets: Parameters<typeof budgetCheck>[0];
  consents: ConsentGate;
  quiet_hours: { judge: QuietHoursJudge };
  recipient_limits: RecipientLimiter;
  rules: Pick<SendingRulesFeature, 'of'>;
  carriers: GuardedCarriers;
  numbers: {
    /** Countries of the numbers that this server has at real carriers. */
    heldCountries(): Promise<string[]>;
  };
  providers: { has(organization_id: string, layer: 'llm'): Promise<boolean> };
  approvals: ApprovalGate;
  conversations: ConversationGate;
  agents: AgentCreators;
  clock: Clock;
  log: Log;
  tracing: Tracing | null;
};

export function admissionFeature(deps: AdmissionDeps) {
  const { config, carriers, limits } = deps;
  const carrierOf = (provider: string | null) =>
    provider === null ? carriers.active : carriers.byName(provider);
  const isSimulated = (provider: string | null) => carrierOf(provider)?.capabilities.simulated ?? false;

  const own_countries = [
    config.PARLEY_COUNTRY,
    ...config.own_numbers.map((e164) => {
      const reading = readNumber(e164);
      return reading.ok ? reading.country_code : null;
    }),
  ].flatMap((country_code) => country_code ?? []);
  const destinations = ttlCache<Destinations>({
    load: async () => ({
      countries: new Set([...own_countries, ...(await deps.numbers.heldCountries())]),
      networks: [],
    }),
    max_age_ms: countries_age_ms,
  });
  const providers = keyedTtlCache<boolean>({ max_age_ms: providers_age_ms, max_entries: max_organizations });
  const allows_offline = config.PARLEY_OFFLINE_LLM_ON_REAL_CALLS === 'on';
  const mayBeOffline = (provider: string | null) => allows_offline || isSimulated(provider);

  // Run in this order; the first check that stops decides.
  const checks: readonly Check[] = [
    killSwitchCheck(limits),
    conversationCheck(deps.conversations),
    destinationCheck({
      allowedFor: (provider) =>
        isSimulated(provider) ? null : (config.PARLEY_DESTINATIONS ?? destinations.get()),
      forget: destinations.forget,
      narrowedBy(organization_id) {
        const rules = deps.rules.of(organization_id);
        return rules instanceof Promise
          ? rules.then((now) => contactRulesOf(now).destinations)
          : contactRulesOf(rules).destinations;
      },
    }),
    suppressionCheck(deps.consents),
    consentCheck(deps.consents),
    quietHoursCheck(deps.quiet_hours.judge, deps.clock),
    recipientsCheck(deps.recipient_limits, deps.rules, deps.clock),
    velocityCheck(limits),
    budgetCheck(deps.budgets),
    fundsCheck(deps.funds),
    llmCheck({
      mayBeOffline,
      hasProvider: (organization_id) =>
        providers.get(organization_id, () => deps.providers.has(organization_id, 'llm')),
    }),
    approvalCheck(deps.approvals),
  ];

  return {
    admit: tracedAdmit(deps.tracing, withAgentLineage(deps.agents, admitBy(checks, deps.clock))),
    /** Whether the kill switch of the channel is on. Queues then claim nothing. */
    isStopped: limits.isStopped,
    isSimulated,
    mayBeOffline,

    /** Warns at the start when no destination is allowed. */
    async prepare(): Promise<void> {
      if (carriers.all().every(({ capabilities }) => capabilities.simulated)) return;
      const { countries, networks } = config.PARLEY_DESTINATIONS ?? (await destinations.get());
      if (countries !== '*' && countries.size === 0 && networks.length === 0) {
        deps.log.warn(
          {},
          'no destination is allowed: calls and texts over the carrier are refused until this server has a number, or PARLEY_DESTINATIONS or PARLEY_COUNTRY is set',
        );
      }
    },
  };
}
export type Admission = ReturnType<typeof admissionFeature>;
