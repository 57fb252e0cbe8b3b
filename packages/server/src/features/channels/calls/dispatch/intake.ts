// Accepts inbound calls: the agent of the called number answers; without an agent or capacity the call is declined.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Log } from '../../../../platform/log.ts';
import type { CarrierEvent } from '../../../../providers/carrier/carrier.ts';
import type { AgentService } from '../../../agents/agents/index.ts';
import {
  type Admission,
  admissionText,
  type GuardedCarriers,
  type GuardedVoice,
  type HandOverDecision,
  stoppedBecause,
} from '../../../rules/admission/index.ts';
import type { Budgets } from '../../../rules/budgets/index.ts';
import type { Funds } from '../../../rules/funds/index.ts';
import type { ReceiveRules } from '../../../rules/receive-rules/index.ts';
import type { NumbersFeature } from '../../numbers/index.ts';
import { type SpeechPlan, speechPlan, storedPlan } from '../conversation/speak/speech-plan.ts';
import { limitCall } from './dial.ts';
import type { CallDispatcher } from './dispatcher.ts';
import { insufficient_funds, setupError } from './progress/endings.ts';
import { firstMinute } from './progress/metering.ts';
import type { CallProgress } from './progress/progress.ts';
import type { ProgressStore, RunningCall } from './progress/progress-store.ts';

type Offer = Extract<CarrierEvent, { kind: 'call_offered' }>;

type IntakeDeps = {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  dispatcher: Pick<CallDispatcher, 'run' | 'tryKeepPlace' | 'takesKeptCalls'>;
  carriers: GuardedCarriers;
  numbers: Pick<NumbersFeature, 'holders'>;
  rules: Pick<ReceiveRules, 'judgePhone' | 'recordHits'>;
  agents: AgentService;
  admission: Pick<Admission, 'admit'>;
  funds: Pick<Funds, 'reserve'>;
  budgets: Pick<Budgets, 'settleCall'>;
  leader_id: string;
  lease_seconds: number;
  clock: Clock;
  ids: Ids;
  log: Log;
};

/** A caller may hide or fake its number, so the field is stored as plain text. */
const max_caller_chars = 64;
/** Another process may take the call. */
const no_capacity = 'no capacity for another call';
/** How long the line may take to open after the call was accepted. */
const open_seconds = 30;

/** Resolves when the offered call is accepted or declined. */
export const callIntake =
  (deps: IntakeDeps) =>
  async (provider: string, offer: Offer): Promise<void> => {
    const voice = deps.carriers.byName(provider)?.voice;
    if (!voice) return;
    // Until the call runs, so that calls which are offered at the same moment do not exceed the capacity.
    const giveBack = offer.has_place ? () => {} : deps.dispatcher.tryKeepPlace();
    try {
      await handleOffer(deps, provider, voice, { ...offer, has_place: giveBack !== null });
    } finally {
      giveBack?.();
    }
  };

async function handleOffer(
  deps: IntakeDeps,
  provider: string,
  voice: GuardedVoice,
  offer: Offer,
): Promise<void> {
  const { log, progress } = deps;
  const { provider_call_id } = offer;
  const target = await findTarget(deps, provider, offer);
  // The carrier repeats the offer of a call that is running. Declining would end it.
  if (target === no_capacity && (await deps.store.leaderOfOffered({ provider, provider_call_id }))) return;
  if (typeof target === 'string') {
    log.info({ provider, provider_call_id, reason: target }, 'inbound call declined');
    return voice.decline(provider_call_id, target === no_capacity ? 'no_capacity' : 'declined');
  }
  const call_id = deps.ids.next();
  const plan = speechPlan({}, target.agent, null);
  const decision = await deps.admission.admit('hand_over', {
    organization_id: target.organization_id,
    channel: 'calls',
    origin: 'inbound_call',
    recipients: [],
    provider,
    consent: 'inbound_message',
    charge: { item: 'call_minute', quantity: 1, reference: call_id },
    longest_minutes: Math.ceil(plan.max_duration_seconds / 60),
  });
  const inserted = await insertCall(deps, provider, offer, target, { call_id, plan, decision });
  if (!inserted) return;
  const { call, reservation } = inserted;
  if (decision.outcome !== 'allow') {
    const { check, detail } = stoppedBecause(decision);
    log.info({ provider, provider_call_id, call_id: call.id, check }, 'inbound call not allowed');
    await progress.endAlone(call, { trigger: 'broke', end_reason: decision.reason, detail, check });
    return voice.decline(provider_call_id);
  }
  // Another call used the funds after the rules were checked.
  if (reservation === 'insufficient_funds') {
    await progress.endAlone(call, insufficient_funds);
    return voice.decline(provider_call_id);
  }
  const limited = limitCall(call, decision);
  const { max_duration_seconds } = limited.plan;
  const order = { provider_call_id, call_id: call.id, max_duration_seconds };
  const accepted = await voice.accept(order, decision.admitted);
  if (accepted.outcome === 'accepted') return deps.dispatcher.run(limited);
  await progress.endAlone(call, setupError(accepted.detail, null));
  // The carrier did nothing, so the caller still hears ringing.
  if (accepted.outcome === 'busy') await voice.decline(provider_call_id);
}

/** The agent that answers the number, or the reason why the call is declined. */
async function findTarget(
  { db, numbers, agents, dispatcher, rules }: IntakeDeps,
  provider: string,
  { from, to, has_place }: Offer,
) {
  const [holder] = await numbers.holders(db, [to, `+${to}`]);
  if (!holder || holder.provider !== provider) return 'not our number';
  const { organization_id, voice_agent_id } = holder;
  const rule = await rules.judgePhone(organization_id, { channel: 'call', from, to: holder.e164 });
  if (rule) await rules.recordHits(db, [{ organization_id, rule_id: rule.id }]);
  if (rule?.action === 'block') return 'blocked by a receive rule';
  const agent = voice_agent_id && (await agents.find(organization_id, voice_agent_id));
  if (!agent) return 'no agent answers this number';
  if (!has_place || !dispatcher.takesKeptCalls()) return no_capacity;
  return { organization_id, agent, number: holder.e164 };
}

type Target = Exclude<Awaited<ReturnType<typeof findTarget>>, string>;

/** Null when the carrier offered this call before. */
function insertCall(
  { db, store, progress, funds, budgets, leader_id, lease_seconds, clock }: IntakeDeps,
  provider: string,
  offer: Offer,
  { organization_id, agent, number }: Target,
  { call_id: id, plan, decision }: { call_id: string; plan: SpeechPlan; decision: HandOverDecision },
) {
  const now = clock.now().toISOString();
  const call = {
    id,
    organization_id,
    conversation_id: id,
    agent_id: agent.id,
    agent_version: agent.version,
    variables: agent.variables,
    direction: 'inbound',
    status: 'ringing',
    from: offer.from.slice(0, max_caller_chars),
    to: number,
    provider,
    provider_call_id: offer.provider_call_id,
    leader_id,
    requested_at: now,
    ringing_at: now,
    result_status: 'none',
    metadata: {},
    ring_timeout_seconds: open_seconds,
    is_recorded: false,
    plan,
    llm_key_sealed: null,
    scheduled_at: null,
    terms: null,
    admission: admissionText(decision),
  } as const;
  return db.transaction(async (tx) => {
    if (!(await store.insertOffered(tx, organization_id, { ...call, plan: storedPlan(plan) }))) {
      await budgets.settleCall(tx, organization_id, id, 0);
      return null;
    }
    await store.lease(tx, call, leader_id, lease_seconds);
    await progress.note(call, 'rang', { from: call.from }, tx);
    const reservation =
      decision.outcome === 'allow' ? await funds.reserve(tx, organization_id, firstMinute(call)) : 'free';
    return { call: call satisfies RunningCall, reservation };
  });
}
