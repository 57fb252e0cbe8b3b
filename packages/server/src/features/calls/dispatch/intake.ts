// Takes in calls to our numbers: the agent of the number answers; where there is none, or no room, the call is declined.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { CarrierEvent } from '../../../providers/carrier/carrier.ts';
import {
  type Admission,
  admissionText,
  type GuardedCarriers,
  type HandOverDecision,
  stoppedBecause,
} from '../../admission/index.ts';
import type { AgentService } from '../../agents/index.ts';
import type { Funds } from '../../funds/index.ts';
import type { NumbersFeature } from '../../numbers/index.ts';
import { speechPlan } from '../conversation/speech-plan.ts';
import type { CallDispatcher } from './dispatcher.ts';
import { firstMinute } from './metering.ts';
import type { CallProgress } from './progress.ts';
import type { LedCall, ProgressStore } from './progress-store.ts';
import { unpaid } from './runner.ts';

type Offer = Extract<CarrierEvent, { kind: 'call_offered' }>;

/** The one who calls may have no number, or no honest one: what stands there is kept as text. */
const longest_caller = 64;
/** For the line to open once the call was accepted. */
const open_seconds = 30;

export function callIntake(deps: {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  dispatcher: Pick<CallDispatcher, 'lead' | 'hasRoom'>;
  carriers: GuardedCarriers;
  numbers: Pick<NumbersFeature, 'holders'>;
  agents: AgentService;
  admission: Pick<Admission, 'admit'>;
  funds: Pick<Funds, 'reserve'>;
  lease_seconds: number;
  clock: Clock;
  ids: Ids;
  log: Log;
}) {
  const { db, store, progress, clock, ids, log } = deps;

  /** Who answers, or why nobody does. */
  const answerer = async (provider: string, to: string) => {
    const [holder] = await deps.numbers.holders(db, [to, `+${to}`]);
    if (!holder || holder.provider !== provider) return 'not our number';
    const { organization_id, voice_agent_id } = holder;
    const agent = voice_agent_id && (await deps.agents.find(organization_id, voice_agent_id));
    if (!agent) return 'no agent answers this number';
    if (!deps.dispatcher.hasRoom()) return 'no room for another call';
    return { organization_id, agent, number: holder.e164 };
  };

  /** Null when the carrier offered this call before. */
  const keep = (
    provider: string,
    offer: Offer,
    found: Exclude<Awaited<ReturnType<typeof answerer>>, string>,
    decision: HandOverDecision,
  ) => {
    const { organization_id, agent, number } = found;
    const now = clock.now().toISOString();
    const id = ids.next();
    const call = {
      id,
      organization_id,
      conversation_id: id,
      agent_id: agent.id,
      direction: 'inbound',
      status: 'ringing',
      from: offer.from.slice(0, longest_caller),
      to: number,
      provider,
      provider_call_id: offer.provider_call_id,
      requested_at: now,
      ringing_at: now,
      metadata: {},
      ring_timeout_seconds: open_seconds,
      is_recorded: false,
      plan: speechPlan({}, agent, null),
      brain_key_sealed: null,
      admission: admissionText(decision),
    } as const;
    return db.transaction(async (tx) => {
      if (!(await store.insertOffered(tx, organization_id, call))) return null;
      await store.lead(tx, call, deps.lease_seconds);
      await progress.note(call, 'rang', { from: call.from }, tx);
      const money =
        decision.outcome === 'allow'
          ? await deps.funds.reserve(tx, organization_id, firstMinute(call))
          : 'free';
      return { call: call satisfies LedCall, money };
    });
  };

  return async function offered(provider: string, offer: Offer): Promise<void> {
    const voice = deps.carriers.byName(provider)?.voice;
    if (!voice) return;
    const found = await answerer(provider, offer.to);
    if (typeof found === 'string') {
      log.info({ provider, provider_call_id: offer.provider_call_id, reason: found }, 'a call was declined');
      return voice.decline(offer.provider_call_id);
    }
    const { provider_call_id } = offer;
    const decision = await deps.admission.admit('hand_over', {
      organization_id: found.organization_id,
      channel: 'calls',
      origin: 'inbound_call',
      recipients: [],
      provider,
      consent: 'inbound_message',
      charge: { item: 'call_minute', quantity: 1, reference: provider_call_id },
    });
    const kept = await keep(provider, offer, found, decision);
    if (!kept) return;
    const { call, money } = kept;
    if (decision.outcome !== 'allow') {
      const { check, detail } = stoppedBecause(decision);
      log.info(
        { provider, provider_call_id, call_id: call.id, check },
        'a call was not allowed to be answered',
      );
      await progress.endAlone(call, { trigger: 'broke', end_reason: decision.reason, detail, check });
      return voice.decline(provider_call_id);
    }
    // Another call took the money after it was checked.
    if (money === 'insufficient_funds') {
      await progress.endAlone(call, unpaid);
      return voice.decline(provider_call_id);
    }
    const { max_duration_seconds } = call.plan;
    const order = { provider_call_id, call_id: call.id, max_duration_seconds };
    const accepted = await voice.accept(order, decision.admitted);
    if (accepted.outcome === 'accepted') return deps.dispatcher.lead(call);
    await progress.endAlone(call, { trigger: 'broke', end_reason: 'setup_error', detail: accepted.detail });
  };
}
