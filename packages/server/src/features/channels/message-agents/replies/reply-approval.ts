// Decides whether a person must approve the answer of an agent before it is sent.
import type { ApprovalNeed } from '../../../rules/admission/index.ts';
import type { Task } from '../guards.ts';

/** `was_written_to`: an answer of an agent was sent to the person before. Null when the agent may send it. */
export function approvalNeed(
  { agent, received, thread }: Task,
  was_written_to: boolean,
): ApprovalNeed | null {
  if (received.sender_proof === 'failed')
    return {
      code: 'dmarc_failed',
      message: `DMARC failed: ${received.person} may not be the sender of the email that is answered.`,
    };
  if (received.sender_proof === 'unproven')
    return {
      code: 'sender_unproven',
      message: `Nothing proves that ${received.person} is the sender of the email that is answered.`,
    };
  const { reply_mode } = agent.messaging;
  if (reply_mode === 'approve')
    return { code: 'reply_mode', message: `Replies of the agent ${agent.name} wait for a person.` };
  if (reply_mode !== 'approve_first' || was_written_to || thread?.contact_name) return null;
  return {
    code: 'first_reply',
    message: `It is the first reply to ${received.person}, who is not a contact.`,
  };
}
