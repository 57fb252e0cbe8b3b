// Builds the message of a forward: the received bytes unchanged, so that their signatures stay valid, below our own header fields.
import type { Clock } from '../../../../../platform/clock.ts';
import { forward_mark_header } from '../../../../../protocols/mail/mime/parse-message.ts';
import type { OutgoingMail } from '../../../../../providers/mail/transport.ts';
import type { ObjectStorage } from '../../../../../providers/storage/storage.ts';
import type { SigningKey } from '../../../email-domains/index.ts';
import { readRaw } from '../accept/message-files.ts';
import type { MessageExaminer } from '../examination/examiner.ts';
import type { ForwardJob } from './forward-job.ts';
import type { ForwardedEmail } from './store.ts';

export type ComposeForwardDeps = {
  clock: Clock;
  storage: ObjectStorage;
  seal: MessageExaminer['seal'];
  mail_host: string;
};

/** Adds a field that marks the forward (against loops), a Received field and, with a signing key, an ARC seal. */
export async function composeForward(
  deps: ComposeForwardDeps,
  email: ForwardedEmail,
  job: ForwardJob,
  signing: SigningKey | null,
): Promise<Buffer> {
  const read = () => readRaw(deps.storage, email.raw_key);
  const { raw, sealed } = signing
    ? await deps.seal(
        await read(),
        {
          domain: signing.domain,
          selector: signing.selector,
          private_key: signing.key.export({ type: 'pkcs8', format: 'pem' }) as string,
          authentication_results: email.arrival.authentication_results ?? `${deps.mail_host}; none`,
          arc: email.arrival.arc,
        },
        read,
      )
    : { raw: await read(), sealed: new Uint8Array() };
  const fields = `${forward_mark_header}: ${job.email_domain_id}\r\n${receivedField(deps, email)}\r\n`;
  return Buffer.concat([Buffer.from(fields), sealed, raw]);
}

function receivedField({ clock, mail_host }: ComposeForwardDeps, { id, arrival }: ForwardedEmail): string {
  const from = arrival.remote_address
    ? `from ${safeName(arrival.helo)} ([${arrival.remote_address}])\r\n `
    : '';
  const date = clock.now().toUTCString().replace('GMT', '+0000');
  return `Received: ${from}by ${mail_host} with ESMTP id ${id};\r\n ${date}`;
}

/** The HELO name comes from an untrusted client: only characters that are safe in a header field remain. */
const safeName = (helo: string | null) =>
  (helo ?? '').replaceAll(/[^\w.:[\]-]/g, '').slice(0, 255) || 'unknown';

export const outgoingForward = (
  email: ForwardedEmail,
  { recipients, return_path, message }: { recipients: string[]; return_path: string; message: Buffer },
): OutgoingMail => ({
  email_id: email.id,
  organization_id: email.organization_id,
  envelope: { from: return_path, to: recipients },
  message_id: email.message_id ?? `<${email.id}@forwarded.invalid>`,
  shown: () => ({
    from: email.from_name ? `${email.from_name} <${email.from_address}>` : email.from_address,
    to: recipients,
    cc: [],
    reply_to: null,
    subject: email.subject,
    text: email.body_text,
    html: email.body_html,
    headers: {},
    attachments: [],
  }),
  first_link: null,
  message: { size_bytes: message.length, content: () => message, dispose: async () => {} },
});
