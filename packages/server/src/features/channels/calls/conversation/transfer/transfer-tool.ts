// The tool `transfer_call`: the model names a destination of the agent, never a number.
import type { AgentDestination, AgentLimits } from '@parley/contract/agents/agent-fields';
import { type AgentTool, failed } from '../../../../agents/runtime/index.ts';
import type { TransferStarted } from './run-transfer.ts';
import type { TransferRequest } from './transfer-port.ts';

const max_reason_chars = 300;
const start_timeout_ms = 10_000;

/** Null when no destination has a phone number. */
export function transferTool(
  plan: { destinations: readonly AgentDestination[]; limits: Pick<AgentLimits, 'transfers'> },
  transfer: (request: TransferRequest) => Promise<TransferStarted>,
): AgentTool | null {
  const phones = plan.destinations.filter(({ phone }) => phone !== null);
  if (phones.length === 0) return null;
  let transfers = 0;
  const list = phones.map(({ name, description }) => (description ? `${name}: ${description}` : name));
  return {
    name: 'transfer_call',
    description: `Puts the person through to a colleague. Say so first. Destinations: ${list.join('; ')}`,
    parameters: {
      type: 'object',
      properties: {
        destination: { type: 'string', enum: phones.map(({ name }) => name) },
        reason: { type: 'string', maxLength: max_reason_chars, description: 'For the colleague.' },
      },
      required: ['destination'],
      additionalProperties: false,
    },
    kind: 'built_in',
    effect: 'act',
    timeout_ms: start_timeout_ms,
    speech: null,
    redact: [],
    runs_alone: true,
    async run({ arguments: input }) {
      const found = phones.find(({ name }) => name === input.destination);
      if (!found?.phone) return failed('invalid_arguments', 'destination: expected one of the destinations');
      if (transfers >= plan.limits.transfers)
        return failed('limit_reached', `At most ${plan.limits.transfers} transfers are tried on a call.`);
      const reason = typeof input.reason === 'string' ? input.reason.trim().slice(0, max_reason_chars) : '';
      const started = await transfer({
        destination: found.name,
        to: found.phone,
        reason: reason === '' ? null : reason,
        requested_by: 'agent',
        options: found.transfer,
        principal: null,
      });
      if (started.outcome === 'refused') return failed('refused', started.detail);
      transfers++;
      return { outcome: 'done', content: 'The colleague is being called. You will be told if it fails.' };
    },
  };
}
