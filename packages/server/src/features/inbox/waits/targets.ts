// Checks what a new wait names: it must exist, and the caller must be allowed to read it.
import type { WaitCondition, WaitNoun } from '@parley/contract/inbox/waits';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Caller } from '../../../platform/http/context.ts';
import type { FactsStore } from './following/facts-store.ts';
import { codeChannels } from './keys.ts';
import { mayRead, read_scopes } from './records.ts';

type Deps = {
  facts: FactsStore;
  resolveConversation(organization_id: string, id: string): Promise<string | null>;
};
type Place = { organization_id: string; caller: Caller; path: string };

export async function requireTargets(
  deps: Deps,
  context: { organization_id: string; caller: Caller },
  any_of: readonly WaitCondition[],
): Promise<void> {
  for (const [index, condition] of any_of.entries()) {
    const place = { ...context, path: `body.any_of[${index}]` };
    requireScopes(condition, place);
    await requireTarget(deps, condition, place);
  }
}

/** The kinds of records that the condition can match. */
function nounsOf(condition: WaitCondition): WaitNoun[] {
  switch (condition.kind) {
    case 'reply':
      return condition.channel ? [condition.channel] : ['email', 'sms', 'call'];
    case 'code':
      return codeChannels(condition);
    case 'outcome':
    case 'result':
      return [condition.noun];
    default:
      return [condition.kind];
  }
}

function requireScopes(condition: WaitCondition, { caller, path }: Place): void {
  const nouns = nounsOf(condition);
  if (nouns.length === 0)
    throw new ApiError('validation_failed', {
      detail: `${path}: from and to are not of the same channel, or not of the channel that is named.`,
      errors: [
        { path, message: 'Expected addresses for emails and numbers for texts', code: 'invalid_value' },
      ],
    });
  if (caller.conversation && condition.kind === 'approval')
    throw new ApiError('insufficient_scope', {
      detail: 'A conversation token cannot wait for an approval.',
      path: `${path}.kind`,
    });
  const missing = nouns.filter((noun) => !mayRead(caller, noun)).map((noun) => read_scopes[noun]);
  if (missing.length > 0)
    throw new ApiError('insufficient_scope', {
      detail: `A wait for this needs the scopes ${missing.join(', ')}.`,
      path: `${path}.kind`,
    });
}

async function requireTarget(deps: Deps, condition: WaitCondition, place: Place): Promise<void> {
  const { organization_id, caller, path } = place;
  const { facts } = deps;
  const notFound = (field: string, detail?: string) =>
    new ApiError('wait_target_not_found', { path: `${path}.${field}`, ...(detail ? { detail } : {}) });
  const inConversation = (conversation_id: string) =>
    !caller.conversation ||
    [caller.conversation.id, ...caller.conversation.thread_ids].includes(conversation_id.toLowerCase());
  const isConversation = async (id: string) =>
    inConversation(id) &&
    ((await deps.resolveConversation(organization_id, id)) !== null ||
      (await facts.hasThread(organization_id, id)));
  /** A token for one thread may name its conversation, too: the wait sees this thread only. */
  const isConversationOfToken = async (id: string) => {
    if (!caller.conversation) return false;
    const conversation_id = await deps.resolveConversation(organization_id, id);
    return (
      conversation_id !== null &&
      conversation_id === (await deps.resolveConversation(organization_id, caller.conversation.id))
    );
  };
  switch (condition.kind) {
    case 'reply': {
      const { conversation_id: id } = condition;
      if (!(await isConversation(id)) && !(await isConversationOfToken(id)))
        throw notFound('conversation_id');
      return;
    }
    case 'call': {
      const call = await facts.record(organization_id, 'call', condition.call_id);
      if (!call || !inConversation(call.conversation_id)) throw notFound('call_id');
      return;
    }
    case 'outcome': {
      const record = await facts.record(organization_id, condition.noun, condition.id);
      if (!record || !inConversation(record.conversation_id)) throw notFound('id');
      if (record.direction === 'inbound') throw notFound('id', 'A received message has no outcome.');
      return;
    }
    case 'result': {
      const { noun, id } = condition;
      if (noun === 'call') {
        const call = await facts.record(organization_id, 'call', id);
        if (!call || !inConversation(call.conversation_id)) throw notFound('id');
        return;
      }
      if (!(await isConversation(id))) throw notFound('id');
      return;
    }
    case 'approval':
      if (!(await facts.hasApproval(organization_id, condition.approval_id))) throw notFound('approval_id');
      return;
    default:
      return;
  }
}
