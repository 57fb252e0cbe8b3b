// Check 2: a conversation token writes only in its conversation, and only to people who wrote there themselves. Agents that
// answer texts have the same limit, so that no text of a stranger can choose another recipient.
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { ConversationGate } from '../../../access/conversation-tokens/index.ts';
import type { AdmissionRequest, Check, Stage, Verdict } from '../admission.ts';
import type { Principal } from '../principal.ts';

type Limit = NonNullable<Principal['conversation']>;

export const conversationCheck = (gate: ConversationGate): Check => ({
  name: 'conversation',
  run(stage, request) {
    const principal = request.principal ?? request.terms?.principal ?? null;
    const limit = principal?.conversation;
    if (!limit) return { outcome: 'skip' };
    // An agent answers a text that it received: the pair of numbers, which the id is made of, names the recipient.
    if (limit.token_id === null)
      return request.conversation_id === limit.id ? { outcome: 'allow' } : elsewhere();
    return judge(gate, stage, request, { ...limit, token_id: limit.token_id });
  },
});

const partyOf = (recipient: string) => (recipient.startsWith('+') ? recipient : addressKey(recipient));

async function judge(
  gate: ConversationGate,
  stage: Stage,
  request: AdmissionRequest,
  { id, token_id, expires_ms }: Limit & { token_id: string },
): Promise<Verdict> {
  const organization_id = request.organization_id!;
  if (request.scheduled_at && expires_ms !== null && Date.parse(request.scheduled_at) > expires_ms)
    return refuse(
      new ApiError('outlives_credential', {
        detail: `The token expires at ${new Date(expires_ms).toISOString()}; it must not schedule anything for later.`,
      }),
    );
  const threads = await gate.threads(organization_id, id);
  if (!threads.includes(request.conversation_id ?? '')) return elsewhere();
  const writers = await gate.writers(organization_id, threads);
  const others = request.recipients.filter((recipient) => !writers.has(partyOf(recipient)));
  if (others.length > 0) return outside(`${others.join(', ')} did not write in this conversation.`);
  const is_counted_now =
    stage === 'create' ? !request.is_dry_run : (request.terms?.is_counted_at_hand_over ?? false);
  if (!is_counted_now) return { outcome: 'allow' };
  if (stage === 'hand_over' && !(await gate.exists(organization_id, token_id)))
    return outside('The token was revoked.');
  const count = async (tx: Transaction) => {
    if (!(await gate.spend(tx, organization_id, token_id))) throw usedUp();
  };
  if (stage === 'hand_over') return { outcome: 'allow', commit: count };
  const giveBack = (tx: Transaction) => gate.giveBack(tx, organization_id, token_id);
  return { outcome: 'allow', commit_unless_held: count, giveBack };
}

const usedUp = () =>
  new ApiError('budget_exceeded', {
    detail: 'The conversation token has sent as many messages as it may.',
    fix: 'Create another token with POST /v1/conversations/{conversation_id}/tokens.',
  });

const refuse = (error: ApiError) => ({ outcome: 'refuse' as const, reason: 'not_allowed' as const, error });
const elsewhere = () => outside('The message would be in another conversation.');
const outside = (detail: string): Verdict =>
  refuse(new ApiError('recipient_not_in_conversation', { detail }));
