// Commands to a call go through the approval policy again: a person approved the call as it was, not other words.
import type { Call } from '@parley/contract/channels/calls/call-records';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import { type GatedRequest, principalOf, type Stage, type Verdict } from '../../../rules/admission/index.ts';
import type { CallStore } from '../store.ts';

export type CommandPolicy = { judge(stage: Stage, request: GatedRequest): Verdict | Promise<Verdict> };

type PolicyDeps = { calls: Pick<CallStore, 'wasApproved'>; approvals: CommandPolicy };

/** Throws when the policy lets no program have words said on this call. Nobody can approve them while the call goes on. */
export async function requireAllowedCommand(
  { calls, approvals }: PolicyDeps,
  { caller, organization_id }: Context,
  call: Pick<Call, 'id' | 'to' | 'direction' | 'agent_id'>,
): Promise<void> {
  // Answered calls are held back by no policy.
  if (call.direction === 'inbound') return;
  const verdict = await approvals.judge('create', {
    organization_id,
    channel: 'calls',
    origin: 'api',
    recipients: [call.to],
    consent: 'warranted',
    principal: principalOf(caller, call.agent_id),
  });
  if (verdict.outcome === 'refuse' || verdict.outcome === 'defer') throw verdict.error;
  // The approval vouches for the person who is called, so a rule about strangers does not fit any more. A rule that allows
  // such calls by name does.
  const is_undecided = verdict.outcome === 'allow' && verdict.detail === undefined;
  if (is_undecided && (await calls.wasApproved(organization_id, call.id)))
    throw new ApiError('not_allowed_by_policy', {
      detail: 'A person approved this call as it was. A program has nothing else said on it.',
      fix: 'Let a person give the command, signed in or with the operator key.',
    });
}
