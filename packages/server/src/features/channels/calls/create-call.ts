// Creates an outbound call: checks the request and the rules, and puts the call into the queue.
import type { Agent } from '@parley/contract/agents/agents';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { no_result } from '@parley/contract/channels/calls/call-results';
import type { CallCreate } from '@parley/contract/channels/calls/calls';
import { default_purpose } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../platform/clock.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { checkUrl } from '../../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { type AgentService, requireVariables, splitRelay, textsOf } from '../../agents/agents/index.ts';
import {
  type Admission,
  type AdmissionRequest,
  admissionText,
  newTerms,
  principalOf,
  readNumber,
  readSchedule,
} from '../../rules/admission/index.ts';
import type { CallerNumbers } from './caller-number.ts';
import { type OwnLlm, type SpeechPlan, speechPlan, storedPlan } from './conversation/speak/speech-plan.ts';
import type { LlmKeys } from './llm-keys.ts';
import type { NewCall } from './new-call-store.ts';
import type { CallStore } from './store.ts';
import { chargeAndPayload } from './waiting/payload.ts';

export type CreateCallDeps = {
  store: CallStore;
  caller_numbers: CallerNumbers;
  agents: AgentService;
  admission: Pick<Admission, 'admit'>;
  llm_url_policy: AddressPolicy;
  llm_keys: LlmKeys;
  clock: Clock;
  ids: Ids;
  /** Called after a call was committed. */
  committed(): void;
};

const default_ring_timeout_seconds = 30;

export type CreateCallContext = Pick<Context, 'organization_id' | 'caller' | 'idempotency'>;

export async function createCall(
  deps: CreateCallDeps,
  context: CreateCallContext,
  given: CallCreate,
): Promise<Call> {
  const { request, relay_secret } = relayOf(deps, given);
  const { store, ids, clock, caller_numbers } = deps;
  const { organization_id, idempotency } = context;
  checkDestination(request.to);
  const scheduled_at = readSchedule(clock, request.scheduled_at);
  const id = ids.next();
  const own_llm = ownLlm(request.llm, deps.llm_url_policy);
  const agent = await findAgent(deps, organization_id, request.agent_id ?? null);
  const plan = speechPlan(request, agent, own_llm);
  await checkPlan(deps, organization_id, request, plan);
  // The number may come from the cache. When the insert finds that it changed, the second round reads it again.
  // The consent is looked up only when the insert finds none: an inbound call is one too. Budgets are counted beforehand only
  // when the insert cannot do it, such as when one is used up.
  for (let fresh = false, tests_conditions = true; ; ) {
    const number = request.from
      ? await caller_numbers.named(organization_id, request.from)
      : await caller_numbers.oldest(organization_id, { fresh });
    const planned = newCall(deps, {
      ...{ id, organization_id, request, agent, plan, number, scheduled_at },
      key: request.llm?.api_key ?? relay_secret,
    });
    const { decision, terms } = await admitNewCall(deps, context, request, planned, tests_conditions);
    const { hold } = decision;
    const row = terms ? { ...planned, hold, terms, admission: hold && admissionText(decision) } : planned;
    const call = recordOf(row);
    const chosen = request.from
      ? null
      : { e164: number?.e164 ?? null, providers: caller_numbers.voice_carriers };
    const answer = idempotency?.row({ status: 201, body: call }) ?? null;
    const { conditions, commit: guard } = decision;
    const record = { call: row, ids, clock, answer, chosen, conditions, guard };
    const result = await store.insert(organization_id, record);
    if (result !== 'stored') {
      if (result === 'number_changed') fresh = true;
      else tests_conditions = false;
      continue;
    }
    if (!hold) deps.committed();
    return call;
  }
}

/** Throws the response to the caller if a rule stops the call. */
async function admitNewCall(
  { admission }: CreateCallDeps,
  { organization_id, caller }: CreateCallContext,
  request: CallCreate,
  call: NewCall,
  tests_conditions: boolean,
) {
  const asked: AdmissionRequest = {
    organization_id,
    channel: 'calls',
    origin: 'api',
    recipients: [call.to],
    provider: call.provider,
    consent: 'warranted',
    principal: principalOf(caller, call.agent_id),
    purpose: request.purpose ?? default_purpose,
    scheduled_at: call.scheduled_at,
    tests_conditions,
    ...chargeAndPayload(call),
  };
  const decision = await admission.admit('create', asked);
  if (decision.outcome !== 'allow') throw decision.error;
  return { decision, terms: newTerms(asked, decision) };
}

/** The secret is stored sealed, and never in the plan. */
function relayOf({ llm_url_policy: policy }: CreateCallDeps, given: CallCreate) {
  if (given.llm && given.engines?.relay) {
    const message = 'llm and a relay cannot both be set';
    throw validationError([{ path: 'body.llm', message, code: 'invalid' }]);
  }
  const { engines, secret } = splitRelay(given.engines, { policy, has_secret: false });
  return { request: { ...given, engines }, relay_secret: secret };
}

function checkDestination(to: string): void {
  const destination = readNumber(to);
  if (!destination.ok)
    throw new ApiError('destination_not_allowed', { detail: destination.reason, path: 'body.to' });
}

async function findAgent(
  { agents }: CreateCallDeps,
  organization_id: string,
  agent_id: string | null,
): Promise<Agent | null> {
  if (!agent_id) return null;
  const agent = await agents.find(organization_id, agent_id);
  if (!agent) throw new ApiError('agent_not_found', { path: 'body.agent_id' });
  return agent;
}

/** Checks what this call overrides, and that every variable in its texts has a value. */
async function checkPlan(
  { agents: { rules } }: CreateCallDeps,
  organization_id: string,
  request: CallCreate,
  plan: SpeechPlan,
): Promise<void> {
  if (request.llm && request.engines?.llm) {
    const message = 'Send either llm or engines.llm';
    throw validationError([{ path: 'body.engines.llm', message, code: 'invalid' }]);
  }
  const given = {
    engines: request.engines ? plan.engines : undefined,
    destinations: request.destinations ? plan.destinations : undefined,
    tools: request.tools ?? undefined,
  };
  await rules.check(organization_id, given, plan);
  const texts = textsOf(plan, (field) => (request[field] == null ? 'agent' : 'body'));
  requireVariables([...texts, ...(await rules.toolTexts(organization_id, plan.tools))], plan.variables);
}

function ownLlm(llm: CallCreate['llm'], policy: AddressPolicy): OwnLlm | null {
  if (!llm) return null;
  const verdict = checkUrl(llm.base_url, policy);
  if (!verdict.ok) {
    const message = `Expected an address that may be called (${verdict.reason})`;
    throw validationError([{ path: 'body.llm.base_url', message, code: 'invalid_value' }]);
  }
  return { base_url: llm.base_url, model: llm.model };
}

function newCall(
  { clock, llm_keys }: CreateCallDeps,
  input: {
    id: string;
    organization_id: string;
    request: CallCreate;
    agent: Agent | null;
    plan: SpeechPlan;
    number: { e164: string; provider: string } | null;
    scheduled_at: string | null;
    /** Of the model or the relay that the request names. */
    key: string | null;
  },
): NewCall {
  const { id, organization_id, request, agent, number } = input;
  return {
    id,
    organization_id,
    conversation_id: request.conversation_id ?? id,
    agent_id: agent?.id ?? null,
    agent_version: agent?.version ?? null,
    variables: { ...agent?.variables, ...request.variables },
    direction: 'outbound',
    status: 'queued',
    end_reason: null,
    from: number?.e164 ?? null,
    to: request.to,
    provider: number?.provider ?? null,
    provider_call_id: null,
    answered_by: null,
    requested_at: clock.now().toISOString(),
    started_at: null,
    ringing_at: null,
    answered_at: null,
    ended_at: null,
    duration_seconds: null,
    transfer: null,
    handoff_data: null,
    parent_call_id: null,
    content_erased_at: null,
    hold: null,
    scheduled_at: input.scheduled_at,
    metadata: request.metadata ?? {},
    ring_timeout_seconds: request.ring_timeout_seconds ?? default_ring_timeout_seconds,
    is_recorded: request.record ?? false,
    plan: storedPlan(input.plan),
    llm_key_sealed: input.key ? llm_keys.seal(organization_id, id, input.key) : null,
    admission: null,
    terms: null,
  };
}

/** The public record, without what only the service needs. */
function recordOf(row: NewCall): Call {
  const {
    ring_timeout_seconds: _,
    is_recorded,
    plan,
    llm_key_sealed,
    admission,
    terms,
    metadata,
    ...record
  } = row;
  return {
    ...record,
    recording_url: null,
    ...no_result,
    result_schema: plan.result_schema ?? null,
    metadata,
  };
}
