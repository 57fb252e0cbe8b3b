// Builds the projector and the features whose tables it keeps current.
import { conversationFeature } from '../features/conversations/index.ts';
import { writtenText } from '../features/emails/index.ts';
import { projectorFeature } from '../features/projector/index.ts';
import type { Base } from './events.ts';
import type { MailFeatures } from './mail.ts';
import type { TelephonyParts, ViewParts } from './parts.ts';

type Channels = { mail: MailFeatures } & Pick<TelephonyParts, 'sms'>;

export function buildViews(base: Base, { mail, sms }: Channels): ViewParts {
  const conversations = conversationFeature({
    ...base,
    emailText: writtenText,
    emails: { reply: mail.reply },
    texts: sms.texts,
  });
  const projections = [conversations.projection];
  const projector = projectorFeature({ ...base, projections, emailText: writtenText });
  return { projector, conversations };
}
