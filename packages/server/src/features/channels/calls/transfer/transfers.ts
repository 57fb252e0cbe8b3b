// Transfers of running calls: stores each step, and places the call to the colleague.
import type { TransferFailure } from '@parley/contract/channels/calls/call-transfers';
import type { Clock } from '../../../../platform/clock.ts';
import { type Row, violates } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import { credentialsOf, default_terms, type Principal } from '../../../rules/admission/index.ts';
import { speechPlan, storedPlan } from '../conversation/speak/speech-plan.ts';
import type {
  DialResult,
  OpenTransfer,
  TransferPort,
  TransferRequest,
} from '../conversation/transfer/transfer-port.ts';
import type { CallDispatcher } from '../dispatch/dispatcher.ts';
import type { ProgressStore, RunningCall } from '../dispatch/progress/progress-store.ts';
import { type LegDeps, runLeg } from './leg.ts';
import { open_transfer_index, type TransferStore } from './store.ts';

export type TransfersDeps = LegDeps & {
  transfers: TransferStore;
  dispatcher: Pick<CallDispatcher, 'runLeg' | 'hangUp'>;
  lease_seconds: number;
  clock: Clock;
  ids: Ids;
};

/** What a running conversation uses to transfer its call. */
export const transferPort = (deps: TransfersDeps, call: RunningCall): TransferPort => ({
  person: call.direction === 'outbound' ? call.to : call.from,
  begin: (request) => beginTransfer(deps, call, request),
  destination(name) {
    const found = call.plan.destinations.find((each) => each.name === name);
    return found?.phone ? { to: found.phone, options: found.transfer } : null;
  },
  max_transfers: call.plan.limits.transfers,
});

async function beginTransfer(
  deps: TransfersDeps,
  call: RunningCall,
  request: TransferRequest,
): Promise<OpenTransfer | null> {
  const { db, transfers } = deps;
  const { organization_id } = call;
  const id = deps.ids.next();
  const row = {
    organization_id,
    id,
    call_id: call.id,
    destination: request.destination,
    to: request.to,
    mode: request.options.mode,
    via: 'bridge',
    status: 'requested',
    reason: request.reason,
    requested_by: request.requested_by,
    leg_call_id: null,
    requested_at: deps.clock.now().toISOString(),
    connected_at: null,
    ended_at: null,
    failure: null,
  } as const;
  try {
    const is_led = await db.transaction(async (tx) => {
      if (!(await deps.store.lockLed(tx, call))) return false;
      await transfers.insert(tx, organization_id, row);
      return true;
    });
    if (!is_led) return null;
  } catch (error) {
    if (violates(error, open_transfer_index)) return null;
    throw error;
  }
  const move = async (trigger: Parameters<TransferStore['move']>[3], set: Row = {}) => {
    await db.transaction(async (tx) => {
      if (await deps.store.lockLed(tx, call)) await transfers.move(tx, organization_id, id, trigger, set);
    });
  };
  const over = (failure: TransferFailure | null) => ({ ended_at: deps.clock.now(), failure });
  return {
    dial: (signal) => dialLeg(deps, call, request, id, signal),
    answered: () => move('answered'),
    connected: () => move('connected', { connected_at: deps.clock.now() }),
    failed: (failure) => move('failed', over(failure)),
    canceled: () => move('canceled', over(null)),
    ended: () => move('ended', { ended_at: deps.clock.now() }),
  };
}

/** Aborting the signal hangs up, also while it rings. */
async function dialLeg(
  deps: TransfersDeps,
  call: RunningCall,
  request: TransferRequest,
  transfer_id: string,
  signal: AbortSignal,
): Promise<DialResult> {
  const { organization_id } = call;
  const { row, leg } = newLeg(deps, call, request);
  await deps.db.transaction(async (tx) => {
    await deps.store.insertOffered(tx, organization_id, row);
    await deps.store.lease(tx, leg, leg.leader_id, deps.lease_seconds);
    await deps.progress.note(leg, 'dialed', { from: leg.from, provider: leg.provider }, tx);
    await deps.transfers.move(tx, organization_id, transfer_id, 'dialed', { leg_call_id: leg.id });
  });
  const { promise, resolve } = Promise.withResolvers<DialResult>();
  deps.dispatcher.runLeg(leg, (_leg, leg_signal) => runLeg(deps, leg, leg_signal, resolve));
  const hangUp = () => deps.dispatcher.hangUp(leg.id, 'api_hangup');
  if (signal.aborted) hangUp();
  signal.addEventListener('abort', hangUp, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', hangUp));
}

/** What an agent dials counts for the program that started its call. */
const agentOf = ({ agent_id, terms }: RunningCall): Principal | null => {
  const lineage = terms?.principal ? credentialsOf(terms.principal) : [];
  if (agent_id === null && lineage.length === 0) return null;
  const principal = { kind: 'agent' as const, credential_id: null, agent_id };
  return lineage.length > 0 ? { ...principal, lineage } : principal;
};

/** It is placed from the number of the call, so it needs no second number of the pool. */
function newLeg(deps: TransfersDeps, call: RunningCall, request: TransferRequest) {
  const now = deps.clock.now().toISOString();
  const from = call.direction === 'outbound' ? call.from : call.to;
  const { language, voice, max_duration_seconds, ai_disclosure } = call.plan;
  const plan = {
    ...speechPlan({}, null, null),
    language,
    voice,
    ai_disclosure,
    max_duration_seconds,
    // Nobody asks for a summary of the part of another call.
    summarize: false,
  };
  const principal = request.principal ?? agentOf(call);
  const leg: RunningCall = {
    id: deps.ids.next(),
    organization_id: call.organization_id,
    leader_id: call.leader_id,
    conversation_id: call.conversation_id,
    agent_id: call.agent_id,
    direction: 'outbound',
    from,
    to: request.to,
    provider: call.provider,
    ring_timeout_seconds: request.options.ring_timeout_seconds,
    is_recorded: false,
    plan,
    llm_key_sealed: null,
    scheduled_at: null,
    terms: { ...default_terms, principal, is_counted_at_hand_over: true },
    has_pool_number: call.direction === 'outbound' && call.has_pool_number,
    leg_origin: request.requested_by,
  };
  const { leg_origin: _, has_pool_number: __, ...columns } = leg;
  const row: Parameters<ProgressStore['insertOffered']>[2] = {
    ...columns,
    parent_call_id: call.id,
    status: 'dialing',
    requested_at: now,
    started_at: now,
    metadata: {},
    plan: storedPlan(plan),
  };
  return { row, leg };
}
