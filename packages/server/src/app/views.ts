// Builds the projector and the features whose tables it keeps current.
import { conversationFeature } from '../features/conversations/index.ts';
import { writtenText } from '../features/emails/index.ts';
import { projectorFeature } from '../features/projector/index.ts';
import { searchFeature } from '../features/search/index.ts';
import type { Base } from './events.ts';
import type { Parts, ViewParts } from './parts.ts';

type Records = Pick<Parts, 'mail' | 'sms' | 'contacts'>;

export function buildViews(base: Base, { mail, sms, contacts }: Records): ViewParts {
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
  const projections = [conversations.projection, ...search.projections];
  const projector = projectorFeature({ ...base, projections, emailText: writtenText });
  return { projector, conversations, search };
}
