// The rules of calls: consent, a number to call from, one that may be called, and how to end them.
import { type Call, type CallStatistics, callLifecycle, isFinalCall } from '@parley/contract/call-records';
import type { CallCreate } from '@parley/contract/calls';
import { batched } from '../../platform/batch.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import type { AddressPolicy } from '../../platform/egress/address-policy.ts';
import { checkUrl } from '../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { Waiters } from '../../platform/http/waiters.ts';
import type { IdempotentRequest } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import type { ObjectStorage } from '../../providers/storage/storage.ts';
import { type Admission, type GuardedCarriers, readNumber } from '../admission/index.ts';
import type { AgentService } from '../agents/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';
import { type OwnLlm, speechPlan } from './conversation/speech-plan.ts';
import type { CallDispatcher } from './dispatch/dispatcher.ts';
import type { CallProgress } from './dispatch/progress.ts';
import type { ProgressStore } from './dispatch/progress-store.ts';
import type { CallStore } from './store.ts';
import type { TimelineStore } from './timeline-store.ts';

type VoiceNumber = { e164: string; provider: string };
/** Organizations whose number is remembered. */
const max_seen = 10_000;

/** A conversation that is hung up ends within a moment; who asked for it sees the end. */
const hang_up_patience_ms = 10_000;

export function callService(deps: {
  store: CallStore;
  progress_store: ProgressStore;
  progress: CallProgress;
  timeline: TimelineStore;
  dispatcher: Pick<CallDispatcher, 'hangUp'>;
  waiters: Waiters;
  carriers: GuardedCarriers;
  numbers: Pick<NumbersFeature, 'voiceNumber' | 'oldestVoiceNumbers'>;
  agents: AgentService;
  admission: Pick<Admission, 'admit'>;
  storage: ObjectStorage;
  /** Which addresses a model named in a request may have. */
  llm_url_policy: AddressPolicy;
  sealLlmKey(organization_id: string, call_id: string, key: string): string;
  clock: Clock;
  ids: Ids;
  committed(): void;
}) {
  const { store, progress, timeline, waiters, carriers, clock, ids } = deps;
  const voice_carriers = carriers.names().filter((name) => carriers.byName(name)!.voice !== null);

  const find = async (organization_id: string, id: string): Promise<Call> => {
    const call = await store.find(organization_id, id);
    if (!call) throw new ApiError('not_found');
    return call;
  };

  // What is asked for together is read together.
  const oldestNumber = batched<string, VoiceNumber | null>(async (asking) => {
    const found = await deps.numbers.oldestVoiceNumbers([...new Set(asking)], voice_carriers);
    const by_organization = new Map(found.map((number) => [number.organization_id, number]));
    return asking.map((organization_id) => by_organization.get(organization_id) ?? null);
  });

  const seen = new Map<string, VoiceNumber | null>();

  /** The number to call from; null: one of the pool, once there is one. What was seen before may have changed. */
  const callerNumber = async (organization_id: string, named: string | null, fresh: boolean) => {
    const before = named === null && !fresh ? seen.get(organization_id) : undefined;
    if (before !== undefined) return before;
    const number =
      named === null
        ? await oldestNumber(organization_id)
        : await deps.numbers.voiceNumber(organization_id, named, voice_carriers);
    if (seen.size >= max_seen) seen.clear();
    if (named === null) seen.set(organization_id, number);
    if (!number && named !== null) {
      throw new ApiError('from_not_allowed', {
        detail: '"from" is not an active number of yours that can place calls.',
        path: 'body.from',
      });
    }
    if (!number && voice_carriers.length === 0) throw new ApiError('carrier_not_configured');
    return number;
  };

  const ownLlm = (llm: CallCreate['llm']): OwnLlm | null => {
    if (!llm) return null;
    const verdict = checkUrl(llm.base_url, deps.llm_url_policy);
    if (!verdict.ok) {
      const message = `Expected an address that may be called (${verdict.reason})`;
      throw validationError([{ path: 'body.llm.base_url', message, code: 'invalid_value' }]);
    }
    return { base_url: llm.base_url, model: llm.model };
  };

  const untilFinal = (
    organization_id: string,
    id: string,
    timeout_ms: number,
    context: Pick<Context, 'onClose'>,
  ) =>
    waiters.until(
      organization_id,
      async () => {
        const call = await store.find(organization_id, id);
        return call && isFinalCall(call.status) ? call : null;
      },
      { timeout_ms, onClose: context.onClose },
    );

  return {
    async create(
      organization_id: string,
      given: CallCreate,
      idempotency: IdempotentRequest | null,
    ): Promise<Call> {
      const destination = readNumber(given.to);
      if (!destination.ok)
        throw new ApiError('destination_not_allowed', { detail: destination.reason, path: 'body.to' });
      const id = ids.next();
      const own_llm = ownLlm(given.llm);
      const agent = given.agent_id ? await deps.agents.find(organization_id, given.agent_id) : null;
      if (given.agent_id && !agent) throw new ApiError('agent_not_found', { path: 'body.agent_id' });
      const named = given.from ?? null;
      // Called from what was seen before; where that has changed since then, it is looked at afresh.
      for (let fresh = false; ; fresh = true) {
        const number = await callerNumber(organization_id, named, fresh);
        const decision = await deps.admission.admit('create', {
          organization_id,
          channel: 'calls',
          origin: 'api',
          recipients: [given.to],
          provider: number?.provider ?? null,
          consent: 'warranted',
          charge: { item: 'call_minute', quantity: 1, reference: id },
          has_own_llm: own_llm !== null,
        });
        if (decision.outcome !== 'allow') throw decision.error;
        const requested_at = clock.now().toISOString();
        const record = {
          id,
          organization_id,
          conversation_id: given.conversation_id ?? id,
          agent_id: agent?.id ?? null,
          direction: 'outbound',
          status: 'queued',
          end_reason: null,
          from: number?.e164 ?? null,
          to: given.to,
          provider: number?.provider ?? null,
          provider_call_id: null,
          answered_by: null,
          requested_at,
          started_at: null,
          ringing_at: null,
          answered_at: null,
          ended_at: null,
          duration_seconds: null,
        } as const;
        const metadata = given.metadata ?? {};
        const call: Call = { ...record, recording_url: null, metadata };
        const result = await store.insert(
          organization_id,
          {
            call: {
              ...record,
              metadata,
              ring_timeout_seconds: given.ring_timeout_seconds ?? 30,
              is_recorded: given.record ?? false,
              plan: speechPlan(given, agent, own_llm),
              brain_key_sealed: given.llm?.api_key
                ? deps.sealLlmKey(organization_id, id, given.llm.api_key)
                : null,
            },
            entry_id: ids.next(),
            key: idempotency?.row({ status: 201, body: call }) ?? null,
            chosen: named === null ? { e164: number?.e164 ?? null, providers: voice_carriers } : null,
          },
          decision.commit,
        );
        if (result === 'number_changed') continue;
        deps.committed();
        return call;
      }
    },

    list: (
      organization_id: string,
      page: PageRequest & { status?: string | undefined; to?: string | undefined },
    ) => store.list(organization_id, page),

    async stats(organization_id: string, days: number): Promise<CallStatistics> {
      const to = clock.now();
      const from = new Date(to.getTime() - days * 86_400_000);
      const rows = await store.countByStatus(organization_id, from);
      const by_status = Object.fromEntries(
        callLifecycle.states.map((state) => [state, rows.find(({ status }) => status === state)?.count ?? 0]),
      ) as CallStatistics['by_status'];
      return {
        from: from.toISOString(),
        to: to.toISOString(),
        total: rows.reduce((sum, { count }) => sum + count, 0),
        by_status,
        duration_seconds: rows.reduce((sum, row) => sum + row.duration_seconds, 0),
      };
    },

    async get(
      organization_id: string,
      id: string,
      wait_seconds: number | undefined,
      context: Pick<Context, 'onClose'>,
    ): Promise<Call> {
      const call = await find(organization_id, id);
      if (wait_seconds === undefined || isFinalCall(call.status)) return call;
      const ended = await untilFinal(organization_id, id, wait_seconds * 1000, context);
      return ended ?? find(organization_id, id);
    },

    async cancel(organization_id: string, id: string, context: Pick<Context, 'onClose'>): Promise<Call> {
      const call = { organization_id, id };
      const canceled = await progress.endAlone(call, {
        trigger: 'canceled',
        end_reason: 'canceled',
        detail: null,
      });
      if (canceled) {
        deps.dispatcher.hangUp(id, 'api_hangup');
        // The process that leads it may be another one, and may be about to die.
        const { provider, provider_call_id } = canceled;
        const voice = provider === null ? null : carriers.byName(provider)?.voice;
        if (provider_call_id !== null) voice?.hangUp(provider_call_id).catch(() => {});
        return canceled;
      }
      if (!(await deps.progress_store.requestHangUp(call, clock.now()))) {
        await find(organization_id, id);
        throw new ApiError('call_already_ended');
      }
      await progress.note(call, 'hang_up_requested');
      deps.dispatcher.hangUp(id, 'api_hangup');
      const ended = await untilFinal(organization_id, id, hang_up_patience_ms, context);
      return ended ?? find(organization_id, id);
    },

    async transcript(organization_id: string, id: string) {
      const { status } = await find(organization_id, id);
      const turns = await timeline.turns(organization_id, id);
      return { call_id: id, is_final: isFinalCall(status), turns };
    },

    async events(organization_id: string, id: string, page: PageRequest) {
      await find(organization_id, id);
      return timeline.list(organization_id, id, page);
    },

    async recording(organization_id: string, id: string): Promise<{ location: string }> {
      const key = await store.recordingKey(organization_id, id);
      if (key === undefined) throw new ApiError('not_found');
      if (key === null) throw new ApiError('recording_not_found');
      const location = await deps.storage.link(key, { filename: `${id}.wav`, content_type: 'audio/wav' });
      return { location };
    },
  };
}
export type CallService = ReturnType<typeof callService>;
