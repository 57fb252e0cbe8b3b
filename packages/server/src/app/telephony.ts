// Builds everything that calls and texts people: numbers, agents, admission, SMS and calls.
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { registrationFees } from '../config/registration.ts';
import type { AuditLog } from '../features/access/audit/index.ts';
import type { ProviderSettings } from '../features/access/provider-settings/index.ts';
import { type AgentService, agentFeature, type RequestAnswer } from '../features/agents/agents/index.ts';
import type { AgentRuntime } from '../features/agents/runtime/index.ts';
import { callFeature, type OwnEngines } from '../features/channels/calls/index.ts';
import { answerRequests } from '../features/channels/message-agents/index.ts';
import { numbersFeature } from '../features/channels/numbers/index.ts';
import { buildPhones } from '../features/channels/phones/index.ts';
import { callsAtOnce } from '../features/channels/phones/readiness.ts';
import { smsFeature } from '../features/channels/sms/index.ts';
import { verificationFeature } from '../features/channels/verifications/index.ts';
import {
  admissionFeature,
  type GuardedCarriers,
  readNumber,
  type WithdrawApproval,
} from '../features/rules/admission/index.ts';
import type { Budgets } from '../features/rules/budgets/index.ts';
import type { ConsentRevocations } from '../features/rules/consents/index.ts';
import type { Funds } from '../features/rules/funds/index.ts';
import type { ReceiveRules } from '../features/rules/receive-rules/index.ts';
import type { StorageQuota } from '../features/rules/storage-quota/index.ts';
import { guardedAgent } from '../platform/egress/guarded-agent.ts';
import { default_sms_sender, poolNumbers } from '../providers/carrier/sandbox/index.ts';
import { soundConverter } from '../providers/relay/twilio/convert-sound.ts';
import { connectRelay } from '../providers/relay/twilio/index.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import type { VirusScanner } from '../providers/virus/virus-scanner.ts';
import { buildAgentTools } from './agent-tools.ts';
import type { Base } from './events.ts';
import type { Parts, TelephonyParts, TenancyParts } from './parts.ts';
import { ownEngines } from './vendors.ts';

type TelephonyBase = Base & {
  tenancy: TenancyParts;
  storage: ObjectStorage;
  quota: StorageQuota;
  /** Null where no scanner is configured. */
  virus: VirusScanner | null;
};

export function buildTelephony(base: TelephonyBase, parts: Parts): TelephonyParts {
  const { config, tenancy } = base;
  const phones = buildPhones(config, { ...base, ...phoneDeps(base, parts) });
  const { carriers } = phones;
  const { providers } = tenancy;
  const funds = tenancy.funds.service;
  const { tools, mcp_servers, toolFacts, agent_runtime } = buildAgentTools(base, tenancy, parts);
  const agents = agentFeature({ ...base, readNumber, isProviderSet: providers.service.isSet, toolFacts });
  const verifications = verificationFeature({
    ...base,
    carriers,
    funds,
    fees: registrationFees(config),
    findNumber: (organization_id, id) => parts.numbers.findRegistered(organization_id, id),
  });
  const numbers = numbersFeature({
    ...base,
    carriers,
    agents: agents.service,
    verifications: verifications.service,
    funds,
    budgets: tenancy.budgets,
    approvals: tenancy.approvals.gate,
    withdrawApproval: tenancy.approvals.withdraw,
    pool_grace_seconds: config.PARLEY_POOL_GRACE_SECONDS,
    seed: config.sandbox ? { provider: 'sandbox', numbers: poolNumbers } : null,
    openCalls: (call_ids) => parts.calls.openCalls(call_ids),
  });
  const admission = admissionFeature({
    ...base,
    carriers,
    numbers,
    funds,
    limits: tenancy.limits.service,
    budgets: tenancy.budgets,
    quiet_hours: tenancy.quiet_hours,
    consents: tenancy.consents.gate,
    recipient_limits: tenancy.recipient_limits,
    rules: tenancy.sending_rules,
    providers: providers.service,
    approvals: tenancy.approvals.gate,
    conversations: tenancy.conversation_tokens.gate,
    agents: agents.service,
  });
  const agent = guardedAgent({ policy: base.target_policy });
  const shared = {
    ...base,
    approvals: tenancy.approvals.gate,
    withdrawApproval: tenancy.approvals.withdraw,
    carriers,
    numbers,
    agents: agents.service,
    agent_runtime,
    admission,
    funds,
    audit: tenancy.audit.log,
    revocations: tenancy.consents.revocations,
    rules: tenancy.receive_rules,
    budgets: tenancy.budgets,
    providers: providers.service,
    own_engines: ownEngines(agent),
  };
  const sms = buildSms({ ...shared, requestAnswer: answerRequests(base) });
  const calls = buildCalls({ ...shared, phones }, agent);
  return {
    phones,
    own_engines: shared.own_engines,
    agents,
    tools,
    mcp_servers,
    agent_runtime,
    verifications,
    numbers,
    admission,
    sms,
    calls,
  };
}

/** What carriers report to, and ask of, the features that are built after them. */
const phoneDeps = (
  { options }: TelephonyBase,
  parts: Parts,
): Omit<Parameters<typeof buildPhones>[1], keyof TelephonyBase> => ({
  async handleEvents(carrier, events) {
    await Promise.all([
      parts.sms.handleEvents(carrier, events),
      parts.calls.handleEvents(carrier, events),
      parts.verifications.service.handleEvents(carrier, events),
      parts.numbers.handleEvents(carrier, events),
    ]);
  },
  speech: options.speech,
  replaceCarrier: options.replace_providers?.carrier,
  livekit_rooms: options.livekit_rooms,
  freeCalls: () => parts.calls.freeCalls(),
  keepPlace: () => parts.calls.keepPlace(),
  phoneChanged: (call) => parts.calls.phoneChanged(call),
  endCalls: (cut) => parts.calls.drain(cut),
  finishCalls: (cut) => parts.calls.finish(cut),
  tryKeepPlace: () => parts.calls.tryKeepPlace(),
  hasCapacity: () => parts.calls.hasCapacity(),
  runsOffered: (offer) => parts.calls.runsOffered(offer),
  processesFor: (offer) => parts.calls.processesFor(offer),
  expectMedia: (call_id, at) => parts.calls.expectMedia(call_id, at),
  leaderOfToken: (token_hash) => parts.calls.leaderOfToken(token_hash),
});

type Shared = TelephonyBase & {
  withdrawApproval: WithdrawApproval;
  approvals: Parameters<typeof callFeature>[0]['approvals'];
} & Pick<TelephonyParts, 'numbers' | 'admission'> & {
    carriers: GuardedCarriers;
    agents: AgentService;
    agent_runtime: AgentRuntime;
    funds: Funds;
    budgets: Budgets;
    audit: AuditLog;
    revocations: ConsentRevocations;
    rules: ReceiveRules;
    providers: ProviderSettings;
    own_engines: OwnEngines;
  };

function buildSms(shared: Shared & { requestAnswer: RequestAnswer }) {
  const { config } = shared;
  return smsFeature({
    ...shared,
    default_sender:
      config.PARLEY_SMS_DEFAULT_SENDER ?? (config.carrier === 'sandbox' ? default_sms_sender : null),
    automatic_replies: config.PARLEY_SMS_AUTOMATIC_REPLIES,
    sends: config.PARLEY_ROLES.includes('worker'),
    is_sandbox: config.sandbox,
  });
}

function buildCalls(shared: Shared & Pick<TelephonyParts, 'phones'>, agent: Dispatcher) {
  const { config, phones } = shared;
  const sounds = soundConverter();
  const relay_deps = { policy: shared.target_policy, agent, clock: shared.wall_clock, sounds };
  return callFeature({
    ...shared,
    speech: phones.speech,
    sandbox_line: phones.sandbox_line,
    llm_url_policy: shared.target_policy,
    connectRelay: (at) => connectRelay(relay_deps, at),
    contactName: async (organization_id, party) =>
      (await shared.tenancy.contacts.findByParty(organization_id, party))?.name ?? null,
    observeTurn: shared.metrics.observeTurn,
    countLostSpeech: shared.metrics.countLostSpeech,
    leader_id: shared.process_id,
    recordings_folder: join(config.data_dir, 'recordings'),
    internal_url: config.PARLEY_INTERNAL_URL,
    at_once: callsAtOnce(config),
    queue_seconds: config.PARLEY_CALL_QUEUE_SECONDS,
    lease_seconds: config.PARLEY_CALL_LEASE_SECONDS,
    close: () => Promise.all([agent.destroy(), sounds.close()]),
  });
}
