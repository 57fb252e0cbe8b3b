// The ports of features that are built later than their callers: each closes a real cycle between two features.
import type { MessageSender } from '../features/agents/runtime/index.ts';
import type { CallFeature } from '../features/channels/calls/index.ts';
import type { EmailAttachments } from '../features/channels/email-attachments/index.ts';
import type { MailFeature } from '../features/channels/mail/index.ts';
import type { NumbersFeature } from '../features/channels/numbers/index.ts';
import type { SmsFeature } from '../features/channels/sms/index.ts';
import type { Transaction } from '../platform/db/database.ts';
import type { FindIds } from '../platform/db/list-filter.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { FanOut } from '../platform/outbox.ts';
import type { SystemMailSender } from '../platform/system-mail.ts';
import type { SimulatedMail } from '../providers/mail/transport.ts';

export type LatePorts = {
  /** Features enqueue jobs, and the queue runs the handlers of features. */
  jobs: Jobs;
  /** Every commit with events feeds webhooks, which commit, too. */
  fan_out: FanOut;
  /** Lists of records ask search, which indexes the records. */
  search: { findIds: FindIds };
  /** Accounts and approvals send mail, which is subject to their rules. */
  mail: SystemMailSender;
  /** Consents put recipients on the lists of the channels, which ask consents before they send. */
  email_suppressions: Pick<MailFeature, 'suppressRevoked'>;
  sms_suppressions: Pick<SmsFeature, 'suppressRevoked'>;
  /** A consent has a proof that was uploaded like an attachment. */
  attachments: Pick<EmailAttachments, 'link'>;
  /** Carriers report to calls, numbers ask which calls are open, and calls use both. */
  calls: CallFeature;
  /** Verifications are about numbers, and numbers are bought with verifications. */
  numbers: Pick<NumbersFeature, 'findRegistered'>;
  /** Agents write messages with their tools, and channels have agents that answer. */
  messages: MessageSender;
  /** Agents that answer wait for the views of messages, and are one of the views. */
  projector: { drainDue(): Promise<void> };
  /** The sandbox outbox shows mail that channels send, and stores some of it. */
  sandbox_outbox: { storeSimulatedMail(tx: Transaction, mail: SimulatedMail): Promise<void> };
};
