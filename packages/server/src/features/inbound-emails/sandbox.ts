// The sandbox’s post: makes the message that a request describes, and lets it come in.
import type { Email } from '@parley/contract/email-records';
import { readMailbox } from '@parley/contract/mailbox';
import { type SandboxInboundEmail, sandboxEmails } from '@parley/contract/sandbox-emails';
import MailComposer from 'nodemailer/lib/mail-composer';
import { ApiError } from '../../platform/http/api-error.ts';
import { routesOf } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { EmailDomainService } from '../email-domains/index.ts';
import type { Accepting } from './accepting.ts';
import { withCrLf } from './line-breaks.ts';

const somebody = { name: null, address: 'somebody@example.org' };

export const sandboxEmailRoutes = (deps: {
  ids: Ids;
  accept: Accepting;
  domains: Pick<EmailDomainService, 'receiver' | 'sender'>;
  get(organization_id: string, email_id: string): Promise<Email>;
}) => {
  const receiversOf = async (organization_id: string, given: SandboxInboundEmail) => {
    const addresses = [...(given.to ?? []), ...(given.cc ?? [])].map(({ address }) => address);
    if (given.to === undefined) {
      const own = await deps.domains.sender(organization_id, {});
      if (typeof own !== 'string') addresses.push(own.address);
    }
    const found = await Promise.all(
      addresses.map(async (address) => ({ address, receiver: await deps.domains.receiver(address) })),
    );
    return found.flatMap(({ address, receiver }) =>
      receiver?.organization_id === organization_id ? [{ address, receiver }] : [],
    );
  };

  const composed = (given: SandboxInboundEmail, to: string[]): Promise<Buffer> => {
    const mailbox = ({ name, address }: { name: string | null; address: string }) => ({
      name: name ?? '',
      address,
    });
    const text = given.body_text ?? (given.body_html === undefined ? '' : undefined);
    return new MailComposer({
      from: mailbox(given.from ?? somebody),
      to: (given.to ?? to.map((address) => readMailbox(address)!)).map(mailbox),
      cc: (given.cc ?? []).map(mailbox),
      subject: given.subject ?? '',
      messageId: given.message_id ?? `<${deps.ids.next()}@sandbox.test>`,
      ...(given.in_reply_to ? { inReplyTo: given.in_reply_to, references: given.in_reply_to } : {}),
      ...(text === undefined ? {} : { text }),
      ...(given.body_html === undefined ? {} : { html: given.body_html }),
      headers: given.headers ?? {},
      attachments: (given.attachments ?? []).map(({ filename, content_type, content_base64 }) => ({
        filename,
        content: Buffer.from(content_base64, 'base64'),
        ...(content_type ? { contentType: content_type } : {}),
      })),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
  };

  return routesOf(sandboxEmails, {
    async receive({ body }, { organization_id }) {
      const receivers = await receiversOf(organization_id, body);
      if (receivers.length === 0) throw new ApiError('inbound_address_not_yours', { path: 'body.to' });
      const to = receivers.map(({ address }) => address);
      const raw = await withCrLf(body.raw === undefined ? await composed(body, to) : Buffer.from(body.raw));
      const accepted = await deps.accept({
        raw,
        mail_from: (body.from ?? somebody).address,
        peer: null,
        receivers,
        report_paths: [],
        provider: 'sandbox',
        provider_message_id: null,
        verdicts: body.verdicts ?? {},
      });
      if ('refused' in accepted) throw new ApiError('inbound_message_refused', { detail: accepted.refused });
      return deps.get(organization_id, accepted.emails[0]!.email_id);
    },
  });
};
