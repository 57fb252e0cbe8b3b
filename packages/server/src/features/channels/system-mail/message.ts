// The message of a system mail: plain text, from the address of the service.
import { nil_uuid } from '@parley/contract/limits';
import { asciiDomain, type Mailbox } from '@parley/contract/schema/mailbox';
import type { SigningKey } from '../../../protocols/mail/dkim/sign.ts';
import type { ComposedMail } from '../../../providers/mail/transport.ts';
import { type Composition, service_mail_field, type UncomposedMail } from '../emails/index.ts';
import type { WaitingMail } from './store.ts';

export type SystemMessage = { to: string; subject: string; text: string };

type Deps = {
  from: Mailbox;
  signingKey(domain: string): Promise<SigningKey | null>;
  compose(composition: Composition, signing: SigningKey | null): Promise<ComposedMail>;
};

const headersOf = ({ id }: WaitingMail) => ({
  // RFC 3834 section 5: asks mail programs not to reply automatically.
  'Auto-Submitted': 'auto-generated',
  // By it this server recognizes the mail if it comes back.
  [service_mail_field]: id,
});

export function systemMessage(deps: Deps, mail: WaitingMail, message: SystemMessage): UncomposedMail {
  const { from } = deps;
  const headers = headersOf(mail);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const message_id = `<${mail.id}@${asciiDomain(`x@${domain}`).slice(2)}>`;
  const composition: Composition = {
    email_id: mail.id,
    message_id,
    date: mail.created_at,
    from: { name: from.name ?? '', address: asciiDomain(from.address) },
    to: [{ name: '', address: asciiDomain(message.to) }],
    cc: [],
    reply_to: null,
    subject: message.subject,
    text: message.text,
    html: null,
    in_reply_to: null,
    references: [],
    headers,
    attachments: [],
  };
  return {
    mail: {
      email_id: mail.id,
      organization_id: mail.organization_id ?? nil_uuid,
      envelope: { from: asciiDomain(from.address), to: [asciiDomain(message.to)] },
      message_id,
      shown: () => ({
        from: from.name ? `${from.name} <${from.address}>` : from.address,
        to: [message.to],
        cc: [],
        reply_to: null,
        subject: message.subject,
        text: message.text,
        html: null,
        headers,
        attachments: [],
      }),
      first_link: null,
    },
    compose: async () => deps.compose(composition, await deps.signingKey(domain.toLowerCase())),
  };
}
