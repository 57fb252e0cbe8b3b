// Builds the projector and the features whose tables it keeps current.
import { conversationFeature } from '../features/conversations/index.ts';
import { writtenText } from '../features/emails/index.ts';
import { projectorFeature } from '../features/projector/index.ts';
import { searchFeature } from '../features/search/index.ts';
import { waitFeature } from '../features/waits/index.ts';
import { ApiError } from '../platform/http/api-error.ts';
import type { Base } from './events.ts';
import type { Parts, ViewParts } from './parts.ts';

type Records = Pick<Parts, 'mail' | 'sms' | 'calls' | 'approvals' | 'contacts' | 'conversation_tokens'>;

export function buildViews(base: Base, records: Records): ViewParts {
  const { mail, sms, contacts } = records;
  const conversations = conversationFeature({
    ...base,
    emailText: writtenText,
    emails: { reply: mail.reply },
    texts: sms.texts,
  });
  const search = searchFeature({
    ...base,
    emailText: writtenText,
    readContacts: contacts.service.findAll,
    ...conversations.threads,
    is_on: base.config.PARLEY_SEARCH === 'on',
  });
  const waits = buildWaits(base, records, conversations.resolve);
  // Waits need to know the conversations of new messages.
  const projections = [conversations.projection, ...search.projections, waits.projection];
  const projector = projectorFeature({ ...base, projections, emailText: writtenText });
  return { projector, conversations, search, waits };
}

const buildWaits = (
  base: Base,
  { mail, sms, calls, approvals, conversation_tokens }: Records,
  resolveConversation: ViewParts['conversations']['resolve'],
) =>
  waitFeature({
    ...base,
    resolveConversation,
    tokenThreads: conversation_tokens.gate.threads,
    received: { email: mail.received, sms: sms.received },
    records: {
      email: (organization_id, id) => mail.readAsText(organization_id, id).catch(nullIfMissing),
      sms: sms.find,
      call: calls.find,
      approval: approvals.find,
    },
  });

function nullIfMissing(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_found') return null;
  throw error;
}
