// Texts: how an agent reads, judges and answers them.

import type { Sms } from '@parley/contract/channels/sms/sms';
import { limits } from '@parley/contract/limits';
import { verificationCode } from '../../../inbox/message-waits/index.ts';
import type { Admission } from '../../../rules/admission/index.ts';
import type { AgentTexts } from '../../sms/index.ts';
import { disclosureFor } from '../replies/disclosure.ts';
import { readOnce } from '../replies/read-once.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import {
  type NewAnswer,
  type Received,
  type ReplyChannel,
  type SendResult,
  type Silence,
  silence,
} from './channel.ts';

export type SmsChannelDeps = {
  texts: AgentTexts;
  replies: ReplyStore;
  admission: Pick<Admission, 'isSimulated'>;
  /** Whether a number belongs to an organization of this server. */
  isOwnNumber(e164: string): Promise<boolean>;
};

const repeated_minutes = 10;
/** Answers a day to a number of this server, which probably has an agent too. */
const own_agent_answers = 6;

export function smsChannel(deps: SmsChannelDeps): ReplyChannel {
  const { texts } = deps;
  const { keep, read } = readOnce(texts.find);
  return {
    async find(organization_id, id) {
      const sms = await texts.find(organization_id, id);
      return sms && keep(receivedText(sms), sms);
    },
    refusal: async (received) => refusal(deps, received, await read(received)),
    caps: ({ replies_per_day }) => ({ thread_per_day: replies_per_day, person_per_day: null }),
    async turns({ organization_id, thread_id, id }, { history_messages }) {
      const history = await texts.history(organization_id, thread_id, id, history_messages);
      return history.map(({ direction, body }) => ({
        role: direction === 'inbound' ? 'user' : 'assistant',
        content: body,
      }));
    },
    isSimulated: async (received) => deps.admission.isSimulated((await read(received)).provider),
    trial: async (received, agent_id) => texts.trial(await read(received), agent_id),
    send: async (received, answer) => send(deps, await read(received), answer),
    silentEvent: ({ organization_id, id, person, own }, agent_id, why) => ({
      organization_id,
      type: 'sms.not_answered',
      resource_id: id,
      data: { id, from: person, to: own, agent_id, ...why },
    }),
  };
}

const receivedText = (sms: Sms): Received => ({
  organization_id: sms.organization_id,
  id: sms.id,
  channel: 'sms',
  thread_id: sms.conversation_id,
  person: sms.from,
  own: sms.to,
  subject: null,
  text: sms.body,
  received_at: sms.requested_at,
  sender_proof: 'proven',
});

async function refusal(deps: SmsChannelDeps, received: Received, sms: Sms): Promise<Silence | null> {
  // Short codes and sender names belong to programs.
  if (!/^\+\d{7,15}$/.test(sms.from))
    return silence('automatic_message', 'The sender is not a phone number.');
  if (verificationCode(sms.body) !== null)
    return silence('automatic_message', 'The text holds a verification code.');
  const [automatic, repetitions, is_own, is_suspected] = await Promise.all([
    deps.texts.automaticToday(sms),
    deps.texts.repetitions(sms, repeated_minutes),
    deps.isOwnNumber(sms.from),
    deps.texts.isSuspected(sms),
  ]);
  if (automatic >= deps.texts.automatic_replies)
    return silence('reply_limit', `The agent wrote ${automatic} texts in this conversation within a day.`);
  if (repetitions > 1)
    return silence('repeated_message', `The same text arrived before within ${repeated_minutes} minutes.`);
  if (is_own) {
    const { thread } = await deps.replies.countToday(received);
    if (thread >= own_agent_answers)
      return silence('own_agent', `The sender is a number of this server, and got ${thread} answers today.`);
  }
  if (is_suspected)
    return silence(
      'revocation_suspected',
      'The person may have refused texts. A person decides with POST /v1/consents/suspected/{suspicion_id}/decide.',
    );
  return null;
}

async function send(
  deps: SmsChannelDeps,
  sms: Sms,
  { agent, text, discloses, needs_approval, commit }: NewAnswer,
): Promise<SendResult> {
  const words = discloses ? `${disclosureFor(agent.language).text} ${text}` : text;
  const body = words.slice(0, limits.sms_body_chars).toWellFormed();
  const result = await deps.texts.send(sms, { agent_id: agent.id, body, needs_approval, commit });
  if (result.outcome === 'suppressed')
    return silence('recipient_suppressed', `${sms.from} must not be texted.`);
  if (result.outcome === 'stopped') return result;
  return { outcome: result.outcome === 'stored' ? 'sent' : 'duplicate' };
}
