// The request to transfer a call: checked like the request for a call, and carried out by the process that runs the call.
import type { CallCommanded } from '@parley/contract/channels/calls/call-control';
import { type CallTransferRequest, isOpenTransfer } from '@parley/contract/channels/calls/call-transfers';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import { principalOf, readNumber } from '../../../rules/admission/index.ts';
import type { CommandService } from '../commands/command-service.ts';
import { readPlan } from '../conversation/speak/speech-plan.ts';
import type { CallStore } from '../store.ts';

type ServiceDeps = { calls: Pick<CallStore, 'find' | 'plan'>; commands: Pick<CommandService, 'send'> };

export type TransferService = ReturnType<typeof transferService>;

export const transferService = (deps: ServiceDeps) => ({
  async request(context: Context, call_id: string, request: CallTransferRequest): Promise<CallCommanded> {
    const { organization_id } = context;
    const call = await deps.calls.find(organization_id, call_id);
    if (!call) throw new ApiError('not_found');
    await checkTarget(deps, organization_id, call_id, request);
    if (call.transfer && isOpenTransfer(call.transfer.status)) throw new ApiError('transfer_in_progress');
    const { recipient_consent: _, ...fields } = request;
    const principal = principalOf(context.caller, call.agent_id);
    return deps.commands.send(context, { call_id, kind: 'transfer', body: { ...fields, principal } });
  },
});

async function checkTarget(
  { calls }: ServiceDeps,
  organization_id: string,
  call_id: string,
  { destination, to, recipient_consent }: CallTransferRequest,
): Promise<void> {
  if (to !== undefined) {
    if (recipient_consent !== true)
      throw new ApiError('consent_required', { path: 'body.recipient_consent' });
    const number = readNumber(to);
    if (!number.ok) throw new ApiError('destination_not_allowed', { detail: number.reason, path: 'body.to' });
    return;
  }
  const stored = await calls.plan(organization_id, call_id);
  const named = stored && readPlan(stored).destinations.find(({ name }) => name === destination);
  if (!named?.phone) throw new ApiError('destination_unknown', { path: 'body.destination' });
}
