// The sandbox’s post: makes the message that a request describes, and lets it come in.
import type { Email } from '@parley/contract/email-records';
import { limits } from '@parley/contract/limits';
import { readMailbox } from '@parley/contract/mailbox';
import { type SandboxInboundEmail, sandboxEmails } from '@parley/contract/sandbox-emails';
import MailComposer from 'nodemailer/lib/mail-composer';
import { ApiError } from '../../../platform/http/api-error.ts';
import { routesOf } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { withCrLf } from '../../../protocols/mail/line-breaks.ts';
import { UnreadableMessage } from '../../../protocols/mail/mime/structure.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { Accepting } from './accept-message.ts';
import type { MessageExaminer } from './examination/examiner.ts';

const somebody = { name: null, address: 'somebody@example.org' };

export const sandboxEmailRoutes = (deps: {
  ids: Ids;
  accept: Accepting;
  examiner: Pick<MessageExaminer, 'examine'>;
  domains: Pick<EmailDomainService, 'receiver' | 'sender'>;
  get(organization_id: string, email_id: string): Promise<Email>;
}) => {
  type Raw = { raw: Buffer; from: string | null; to: string[] };

  /** Whom a raw message names, read where every other message is read. */
  const readRaw = async (text: string): Promise<Raw> => {
    const bytes = await withCrLf(Buffer.from(text));
    try {
      const again = () => withCrLf(Buffer.from(text));
      const { raw, examined } = await deps.examiner.examine(bytes, null, again);
      const { from_address, to_addresses, cc_addresses } = examined.message;
      return { raw, from: from_address, to: [...to_addresses, ...cc_addresses] };
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error;
      throw new ApiError('inbound_message_refused', { detail: error.message });
    }
  };

  const addressesFor = async (organization_id: string, given: SandboxInboundEmail, raw: Raw | null) => {
    const cc = (given.cc ?? []).map(({ address }) => address);
    if (given.to) return [...given.to.map(({ address }) => address), ...cc];
    if (raw && raw.to.length > 0) return [...new Set(raw.to)].slice(0, limits.inbound_recipients);
    const own = await deps.domains.sender(organization_id, {});
    return typeof own === 'string' ? cc : [...cc, own.address];
  };

  const receiversOf = async (organization_id: string, addresses: string[]) => {
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
    const html = given.html ?? given.body_html;
    const text = given.text ?? given.body_text ?? (html === undefined ? '' : undefined);
    return new MailComposer({
      from: mailbox(given.from ?? somebody),
      to: (given.to ?? to.map((address) => readMailbox(address)!)).map(mailbox),
      cc: (given.cc ?? []).map(mailbox),
      subject: given.subject ?? '',
      messageId: given.message_id ?? `<${deps.ids.next()}@sandbox.test>`,
      ...(given.in_reply_to ? { inReplyTo: given.in_reply_to, references: given.in_reply_to } : {}),
      ...(text === undefined ? {} : { text }),
      ...(html === undefined ? {} : { html }),
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
      const given = body.raw === undefined ? null : await readRaw(body.raw);
      const receivers = await receiversOf(organization_id, await addressesFor(organization_id, body, given));
      if (receivers.length === 0) {
        throw new ApiError('inbound_address_not_yours', { path: given && !body.to ? 'body.raw' : 'body.to' });
      }
      const to = receivers.map(({ address }) => address);
      const accepted = await deps.accept({
        raw: given?.raw ?? (await withCrLf(await composed(body, to))),
        mail_from: body.from?.address ?? given?.from ?? somebody.address,
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
