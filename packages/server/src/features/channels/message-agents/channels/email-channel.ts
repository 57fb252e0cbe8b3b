// Emails: how an agent reads, judges and answers them.
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Clock } from '../../../../platform/clock.ts';
import type { Turn } from '../../../../providers/llm/llm.ts';
import { senderProof } from '../../../access/sender-proof/index.ts';
import type { AgentEmails, EmailRow } from '../../emails/index.ts';
import { disclosureFor } from '../replies/disclosure.ts';
import { readOnce } from '../replies/read-once.ts';
import {
  type NewAnswer,
  type Received,
  type ReplyChannel,
  type SendResult,
  type Silence,
  silence,
} from './channel.ts';

export type EmailChannelDeps = { emails: AgentEmails; clock: Clock };

const max_emails = 20;
const email_chars = 4000;
const all_chars = 24_000;
const answers_per_thread_and_day = 10;
const answers_per_person_and_day = 30;
const repeated_minutes = 10;

export function emailChannel(deps: EmailChannelDeps): ReplyChannel {
  const { emails } = deps;
  const { keep, read } = readOnce(emails.find);
  return {
    async find(organization_id, id, own) {
      const email = await emails.find(organization_id, id);
      if (!email || email.folder === 'quarantine') return null;
      return keep(receivedEmail(email, own, await emails.writtenText(email)), email);
    },
    refusal: async (received) => refusal(deps, received, await read(received)),
    caps: ({ replies_per_day }) => ({
      thread_per_day: Math.min(replies_per_day, answers_per_thread_and_day),
      person_per_day: answers_per_person_and_day,
    }),
    async turns({ organization_id, thread_id, id, person }, { history_messages }) {
      const limit = Math.min(history_messages, max_emails);
      const of = { thread_id, up_to_id: id, addressee: person, limit };
      return emailTurns(emails, organization_id, await emails.history(organization_id, of));
    },
    isSimulated: async () => emails.is_simulated,
    trial: async (received, agent_id) => emails.trial(await read(received), agent_id),
    send: async (received, answer) => send(deps, received, await read(received), answer),
    silentEvent: ({ organization_id, id, person, own }, agent_id, why) => ({
      organization_id,
      type: 'email.not_answered',
      resource_id: id,
      data: { id, from_address: person, to_address: own, agent_id, ...why },
    }),
  };
}

const receivedEmail = (email: EmailRow, own: string, text: string): Received => ({
  organization_id: email.organization_id,
  id: email.id,
  channel: 'email',
  thread_id: email.conversation_id,
  person: email.from_address,
  own,
  subject: email.subject,
  text,
  received_at: email.requested_at,
  sender_proof: senderProof(email),
});

async function refusal(
  { emails, clock }: EmailChannelDeps,
  { own }: Received,
  email: EmailRow,
): Promise<Silence | null> {
  if (email.is_automatic) return silence('automatic_message', 'A program sent the message.');
  // Who releases a message from quarantine says that it is no spam.
  const is_spam = email.spam_verdict === 'FAIL' && email.released_at === null;
  if (is_spam || email.virus_verdict === 'FAIL')
    return silence('spam', 'The message is spam or has a virus.');
  if (!email.to_addresses.some((address) => addressKey(address) === addressKey(own)))
    return silence('only_copied', `${own} is not in To: the message is for somebody else.`);
  if (await emails.isOwnAddress(email.from_address))
    return silence('own_agent', 'The sender is an address of this server.');
  const since = new Date(clock.ms() - repeated_minutes * 60_000);
  const of = { thread_id: email.conversation_id, body_text: email.body_text, since };
  if ((await emails.repetitions(email.organization_id, of)) > 1)
    return silence('repeated_message', `The same text arrived before within ${repeated_minutes} minutes.`);
  return null;
}

/** The newest emails get the room; each begins with its sender, date and subject. */
export async function emailTurns(
  { writtenText }: Pick<AgentEmails, 'writtenText'>,
  organization_id: string,
  history: Awaited<ReturnType<AgentEmails['history']>>,
): Promise<Turn[]> {
  let left = all_chars;
  const turns: Turn[] = [];
  for (const email of history.toReversed()) {
    if (left <= 0) break;
    const written = await writtenText({ ...email, organization_id });
    const text = written.slice(0, Math.min(email_chars, left)).toWellFormed();
    left -= text.length;
    const files = email.attachments.map(
      ({ filename, content_type, size_bytes }) =>
        `Attachment: ${filename} (${content_type}, ${size_bytes} bytes)`,
    );
    const content =
      email.direction === 'outbound'
        ? text
        : [
            `From: ${email.from_address}`,
            `Date: ${email.at}`,
            `Subject: ${email.subject}`,
            ...files,
            '',
            text,
          ].join('\n');
    turns.push({ role: email.direction === 'inbound' ? 'user' : 'assistant', content });
  }
  return turns.reverse();
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const paragraphs = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');

async function send(
  { emails }: EmailChannelDeps,
  { own }: Received,
  email: EmailRow,
  { agent, text, subject, discloses, needs_approval, commit }: NewAnswer,
): Promise<SendResult> {
  const foot = discloses ? disclosureFor(agent.language).email : null;
  const failure = await emails.send(email, {
    agent_id: agent.id,
    own,
    subject,
    body_text: foot ? `${text}\n\n-- \n${foot}` : text,
    body_html: `${paragraphs(text)}${foot ? `<p><small>${escaped(foot)}</small></p>` : ''}`,
    needs_approval,
    commit,
  });
  if (failure?.error.code === 'email_not_allowed') throw failure.error;
  // Otherwise the record of the email says why the transport did not take it, or that it may have taken it.
  return { outcome: 'sent' };
}
