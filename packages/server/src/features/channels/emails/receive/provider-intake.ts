// Accepts mail that a provider received and checked for us. From here it takes the same path as all other mail.
import { readAddress } from '@parley/contract/schema/mailbox';
import type { Log } from '../../../../platform/log.ts';
import { withCrLf } from '../../../../protocols/mail/line-breaks.ts';
import type { ReceivedMail } from '../../../../providers/mail/transport.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { AcceptMessage } from './accept/accept-message.ts';
import { findRecipients } from './find-recipients.ts';

export const providerIntake =
  (deps: {
    log: Log;
    accept: AcceptMessage;
    isReportPath(address: string): boolean;
    domains: Pick<EmailDomainService, 'receiver'>;
  }) =>
  async (mail: ReceivedMail, provider: string): Promise<void> => {
    const addresses = mail.recipients.flatMap((text) => readAddress(text) ?? []);
    const report_paths = addresses.filter(deps.isReportPath);
    const recipients = await findRecipients(deps.domains, addresses);
    const { provider_message_id } = mail;
    // The provider already accepted the message. A bounce from here would go to a From address that may be forged.
    if (recipients.length === 0 && report_paths.length === 0) {
      deps.log.info({ provider, provider_message_id }, 'no recipient matched');
      return;
    }
    const accepted = await deps.accept({
      raw: await withCrLf(await mail.fetch()),
      mail_from: mail.mail_from,
      peer: null,
      recipients,
      report_paths,
      provider,
      provider_message_id,
      verdicts: mail.verdicts,
      dmarc_policy: mail.dmarc_policy,
    });
    if ('refused' in accepted) {
      const text =
        accepted.because === null || accepted.because === 'size'
          ? 'received message is unreadable'
          : 'received message is blocked';
      deps.log.warn({ provider, provider_message_id, reason: accepted.refused }, text);
    }
  };
