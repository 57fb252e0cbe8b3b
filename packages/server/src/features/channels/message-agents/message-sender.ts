// Texts and emails that agents send with their tools: stored and sent like those of the API, with the agent as sender.

import { ApiError } from '../../../platform/http/api-error.ts';
import type { MessageSender, WrittenMessage } from '../../agents/runtime/index.ts';
import { agentSender } from '../../rules/admission/index.ts';
import type { ContactFeature } from '../../rules/contacts/index.ts';
import type { CallFeature } from '../calls/index.ts';
import { requireSent } from '../emails/index.ts';
import type { MailFeature } from '../mail/index.ts';
import type { SmsFeature } from '../sms/index.ts';

type Senders = {
  sms: Pick<SmsFeature, 'texts'>;
  mail: Pick<MailFeature, 'send'>;
  calls: Pick<CallFeature, 'startedBy'>;
  contacts: ContactFeature;
};

export const messageSender = (senders: Senders): MessageSender => ({
  async sendText({ organization_id, agent_id, call_id, to, body, own, metadata }) {
    const caller = agentSender(agent_id, await startedBy(senders, organization_id, call_id));
    const context = { organization_id, caller, idempotency: null };
    const text = { to, body, recipient_consent: true as const, metadata };
    const create = (from: string | null) =>
      senders.sms.texts.create(context, from === null ? text : { ...text, from });
    return writtenMessage(
      await create(own).catch((error) => {
        // Our number of the conversation cannot text: the usual sender does it.
        if (own === null || !(error instanceof ApiError) || error.code !== 'from_not_allowed') throw error;
        return create(null);
      }),
    );
  },
  async sendEmail({ organization_id, agent_id, call_id, to, subject, body, metadata, idempotency = null }) {
    const caller = agentSender(agent_id, await startedBy(senders, organization_id, call_id));
    const context = { caller, idempotency, request_id: '' };
    const result = await senders.mail.send(
      organization_id,
      { to: [{ address: to, name: null }], subject, body_text: body, recipient_consent: true, metadata },
      context,
    );
    return writtenMessage(requireSent(result));
  },
  contactOf: (organization_id, party) => senders.contacts.service.findByParty(organization_id, party),
});

/** Texts and emails that start a conversation with an agent come from people outside. */
const startedBy = async (
  { calls }: Pick<Senders, 'calls'>,
  organization_id: string,
  call_id: string | null,
): Promise<readonly string[]> => (call_id === null ? [] : calls.startedBy(organization_id, call_id));

const writtenMessage = ({ id, hold }: { id: string; hold: { kind: string } | null }): WrittenMessage => ({
  id,
  held_for: hold?.kind ?? null,
});
