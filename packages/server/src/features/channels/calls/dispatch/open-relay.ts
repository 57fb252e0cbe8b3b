// Connects to the relay of a call before it is dialed, and tells it who is on the line when the call is answered.
import type { AgentRelay } from '@parley/contract/agents/agent-fields';
import {
  type ConnectRelay,
  RelayFailed,
  type RelayLink,
  type SetupFrame,
} from '../../../../providers/relay/relay.ts';
import type { AgentService } from '../../../agents/agents/index.ts';
import type { RelaySettings } from '../conversation/relay/relay-talk.ts';
import type { LlmKeys } from '../llm-keys.ts';
import type { RunningCall } from './progress/progress-store.ts';

export type OpenRelayDeps = {
  connectRelay: ConnectRelay;
  llm_keys: LlmKeys;
  agents: Pick<AgentService, 'relaySecret'>;
};

export type CallRelay = { link: RelayLink; settings: RelaySettings };

/** Undefined when the call has no relay, or when the model takes its place. Throws when the relay cannot be reached. */
export async function openRelay(
  deps: OpenRelayDeps,
  call: RunningCall,
  note: (detail: string) => void,
): Promise<CallRelay | undefined> {
  const relay: AgentRelay | null = call.plan.engines.relay ?? null;
  if (!relay) return undefined;
  const { fallback = false, dtmf = true, partial_prompts = false, interruptible = 'any', on_end } = relay;
  try {
    const secret = deps.llm_keys.open(call) ?? (await agentSecret(deps, call));
    if (!secret) throw new RelayFailed('it has no secret');
    const link = await deps.connectRelay({ url: relay.url, secret });
    const end_transfer = on_end?.transfer ?? null;
    return { link, settings: { fallback, dtmf, partial_prompts, interruptible, end_transfer } };
  } catch (error) {
    if (!(error instanceof RelayFailed)) throw error;
    if (!fallback) throw new RelayFailed(`relay: ${error.message}`, { cause: error });
    note(error.message);
    return undefined;
  }
}

const agentSecret = async ({ agents }: OpenRelayDeps, { organization_id, agent_id }: RunningCall) =>
  agent_id && agents.relaySecret(organization_id, agent_id);

const hex = (id: string) => id.replaceAll('-', '');

/** A UUID without dashes has the 32 digits that ids of this protocol have. */
export const setupFrame = (call: RunningCall, session_id: string): SetupFrame => ({
  type: 'setup',
  sessionId: `VX${hex(session_id)}`,
  accountSid: `AC${hex(call.organization_id)}`,
  parentCallSid: '',
  callSid: `CA${hex(call.id)}`,
  callControlId: call.id,
  from: call.from,
  to: call.to,
  forwardedFrom: '',
  callType: 'PSTN',
  callerName: '',
  direction: call.direction === 'inbound' ? 'inbound' : 'outbound-api',
  callStatus: 'IN-PROGRESS',
  customParameters: call.plan.engines.relay?.parameters ?? {},
});
