// Takes mail that a provider received for us and judged already; it then goes the same way as all other mail.
import { readAddress } from '@parley/contract/mailbox';
import type { Log } from '../../../platform/log.ts';
import { withCrLf } from '../../../protocols/mail/line-breaks.ts';
import type { ReceivedMail } from '../../../providers/mail/transport.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { Accepting } from './accept-message.ts';

export const providerIntake =
  (deps: {
    log: Log;
    accept: Accepting;
    isReportPath(address: string): boolean;
    domains: Pick<EmailDomainService, 'receiver'>;
  }) =>
  async (mail: ReceivedMail, provider: string): Promise<void> => {
    const addresses = mail.recipients.flatMap((text) => readAddress(text) ?? []);
    const report_paths = addresses.filter(deps.isReportPath);
    const found = await Promise.all(
      addresses.map(async (address) => ({ address, receiver: await deps.domains.receiver(address) })),
    );
    const receivers = found.flatMap(({ address, receiver }) => (receiver ? [{ address, receiver }] : []));
    const { provider_message_id } = mail;
    // The provider has taken it for good: a bounce from here would go to whoever the message names.
    if (receivers.length === 0 && report_paths.length === 0) {
      deps.log.info({ provider, provider_message_id }, 'mail came in for nobody');
      return;
    }
    const accepted = await deps.accept({
      raw: await withCrLf(await mail.fetch()),
      mail_from: mail.mail_from,
      peer: null,
      receivers,
      report_paths,
      provider,
      provider_message_id,
      verdicts: mail.verdicts,
    });
    if ('refused' in accepted) {
      deps.log.warn(
        { provider, provider_message_id, reason: accepted.refused },
        'a received message is unreadable',
      );
    }
  };
