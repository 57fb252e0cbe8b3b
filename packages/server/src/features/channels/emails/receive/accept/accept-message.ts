// Accepts a message: checks it, stores its objects and commits its record. The sender gets "accepted" only after the commit.
import { limits } from '@parley/contract/limits';
import { DatabaseUnavailable } from '../../../../../platform/db/database.ts';
import type { RateLimiter } from '../../../../../platform/rate-limit.ts';
import type { Tracing } from '../../../../../platform/tracing/trace.ts';
import { headerEnd, UnreadableMessage } from '../../../../../protocols/mail/mime/structure.ts';
import type { SenderProof } from '../../../../access/sender-proof/index.ts';
import type { EmailDecision, ReceiveRules } from '../../../../rules/receive-rules/index.ts';
import type { StorageQuota } from '../../../../rules/storage-quota/index.ts';
import type { ReportIntake } from '../../delivery-reports/intake.ts';
import type { Delivery, Recipient, Verdicts } from '../delivery.ts';
import type { ExaminedMessage } from '../examination/examine.ts';
import { large_bytes, type MessageExaminer } from '../examination/examiner.ts';
import { isForwardLoop } from '../forward/loop.ts';
import { quarantineOf } from '../quarantine/quarantine.ts';
import { proofOfSender, type ScanDeps, scanMessage } from '../scan-message.ts';
import { serviceMailIds } from '../service-mail-mark.ts';
import type { CommitMessage, Committed } from './commit-messages.ts';
import { inboundRow } from './inbound-row.ts';
import {
  type MessageFileDeps,
  rawKey,
  readRaw,
  removeObjects,
  storeAttachments,
  storeRaw,
} from './message-files.ts';

export type AcceptDeps = MessageFileDeps &
  ScanDeps & {
    quota: Pick<StorageQuota, 'check' | 'stored'>;
    examiner: MessageExaminer;
    commitMessage: CommitMessage;
    reports: Pick<ReportIntake, 'recordFromMailbox'>;
    /** Processes a message to one of our return paths. */
    recordReport(recipient: string, raw: Buffer): Promise<void>;
    /** Limits received messages per organization. */
    limiter: Pick<RateLimiter, 'take'>;
    rules: Pick<ReceiveRules, 'judgeEmail' | 'recordBlock' | 'recordHits'>;
    /** Whether one of these Message-IDs is that of an email that the organization sent. */
    answersOwn(organization_id: string, message_ids: readonly (string | null)[]): Promise<boolean>;
    /** Whether one of these is the id of mail that the service itself wrote. */
    hasSystemMail(ids: readonly string[]): Promise<boolean>;
    tracing: Tracing | null;
  };

type AcceptDecision = Exclude<EmailDecision, { action: 'block' }>;
export type AcceptedEmail = Committed & { organization_id: string };
/**
 * `because`: only for its size, because of a receive rule of the recipient, or because it has a code or a link of this service;
 * else the message is unreadable.
 */
export type Refusal = { refused: string; because: 'size' | 'rule' | 'service_mail' | null };
export type Acceptance = Refusal | { emails: AcceptedEmail[] };
export type AcceptMessage = (delivery: Delivery) => Promise<Acceptance>;

const service_mail_refusal = 'Mail with codes and links of this service is not received here';

export async function acceptMessage(deps: AcceptDeps, delivery: Delivery): Promise<Acceptance> {
  // First of all, because the time to parse a header depends on its size.
  try {
    headerEnd(delivery.raw);
  } catch (error) {
    return refusal(error as UnreadableMessage);
  }
  const service_mail_ids = serviceMailIds(delivery.raw);
  if (service_mail_ids.length > 0 && (await deps.hasSystemMail(service_mail_ids))) {
    deps.log.warn({ provider: delivery.provider }, 'mail of the service itself came back and is refused');
    return { refused: service_mail_refusal, because: 'service_mail' };
  }
  for (const recipient of delivery.report_paths) await deps.recordReport(recipient, delivery.raw);
  const by_organization = Map.groupBy(delivery.recipients, ({ receiver }) => receiver.organization_id);
  if (by_organization.size === 0) return { emails: [] };
  // Check every quota before anything is stored: the message is accepted for all of its organizations or for none.
  for (const organization_id of by_organization.keys())
    await deps.quota.check(organization_id, delivery.raw.length);
  const upload = startRawUpload(deps, delivery.raw);
  try {
    const emails = await storeForAll(deps, delivery, [...by_organization.values()], upload);
    await upload.removeIfUnused();
    // If one organization receives it, the sender cannot be told that another one does not.
    return emails.length > 0 ? { emails } : { refused: 'Not accepted by the recipient', because: 'rule' };
  } catch (error) {
    // A commit with a lost connection may have succeeded, and its record needs the objects.
    if (!(error instanceof DatabaseUnavailable)) await upload.removeIfUnused();
    if (error instanceof UnreadableMessage && !upload.isUsed()) return refusal(error);
    throw error;
  }
}

const refusal = ({ message: refused, is_too_large }: UnreadableMessage): Acceptance => ({
  refused,
  because: is_too_large ? 'size' : null,
});

type RawUpload = ReturnType<typeof startRawUpload>;

/** Uploads the raw message while it is examined, under the id of the first email that will use it. */
function startRawUpload(deps: AcceptDeps, raw: Buffer) {
  const email_id = deps.ids.next();
  const done = storeRaw(deps, email_id, raw);
  let is_used = false;
  return {
    email_id,
    done,
    read: () => readRaw(deps.storage, rawKey(email_id)),
    isUsed: () => is_used,
    /** Call it when a record refers to the object. */
    setUsed(): void {
      is_used = true;
    },
    async removeIfUnused(): Promise<void> {
      await done.catch(() => {});
      if (!is_used) await removeObjects(deps, [rawKey(email_id)]);
    },
  };
}

type Received = {
  raw: Buffer;
  examined: ExaminedMessage;
  verdicts: Verdicts;
  sender_proof: SenderProof;
  decision: AcceptDecision;
};

async function storeForAll(
  deps: AcceptDeps,
  delivery: Delivery,
  organizations: Recipient[][],
  upload: RawUpload,
): Promise<AcceptedEmail[]> {
  const envelope = delivery.peer && { ...delivery.peer, mail_from: delivery.mail_from };
  // A large buffer is transferred to the thread and not readable here meanwhile, so it is uploaded first.
  if (delivery.raw.length >= large_bytes) await upload.done;
  const [{ raw, examined }] = await Promise.all([
    deps.examiner.examine(delivery.raw, envelope, upload.read),
    upload.done,
  ]);
  const { message } = examined;
  if (message.hops > limits.inbound_hops) throw new UnreadableMessage('Too many hops');
  const verdicts = await scanMessage(deps, delivery, raw, examined);
  const sender_proof = proofOfSender(delivery, examined);
  const emails: AcceptedEmail[] = [];
  for (const recipients of organizations) {
    const reported = message.is_report ? await recordOwnReport(deps, recipients[0]!, raw) : null;
    if (reported) {
      emails.push(reported);
      continue;
    }
    const decision = await judge(deps, delivery, { examined, verdicts, sender_proof }, recipients);
    if (decision.action === 'block') continue;
    const email_id = upload.isUsed() ? deps.ids.next() : upload.email_id;
    const received = { raw, examined, verdicts, sender_proof, decision };
    emails.push(await storeFor(deps, email_id, delivery, received, recipients, upload));
    upload.setUsed();
  }
  return emails;
}

type Judged = Pick<Received, 'examined' | 'verdicts' | 'sender_proof'>;

/** Asks the receive rules of the organization. A blocked message is counted, unless there are too many. */
async function judge(
  deps: AcceptDeps,
  delivery: Delivery,
  { examined: { message, authentication }, verdicts, sender_proof }: Judged,
  recipients: Recipient[],
): Promise<EmailDecision> {
  const { organization_id } = recipients[0]!.receiver;
  const from = message.from_address ?? delivery.mail_from;
  const decision = await deps.rules.judgeEmail(organization_id, {
    from,
    recipients: recipients.map(({ address, receiver }) => ({
      address,
      email_domain_id: receiver.email_domain_id,
    })),
    verdicts,
    sender_proof,
    dmarc_policy: delivery.dmarc_policy ?? authentication?.dmarc_policy ?? null,
    isReply: () => deps.answersOwn(organization_id, [message.in_reply_to, ...message.references_ids]),
  });
  if (decision.action === 'block' && (await deps.limiter.take(`inbound:${organization_id}`)).allowed)
    await deps.rules.recordBlock({
      organization_id,
      rule_id: decision.rule.id,
      from_address: from,
      to_addresses: recipients.map(({ address }) => address),
    });
  return decision;
}

/** A report about an email of the same organization is recorded on that email; it does not become a received email. */
async function recordOwnReport(
  deps: AcceptDeps,
  { address, receiver: { organization_id } }: Recipient,
  raw: Buffer,
): Promise<AcceptedEmail | null> {
  const email_id = await deps.reports.recordFromMailbox(organization_id, { recipient: address, raw });
  return email_id ? { email_id, is_new: false, organization_id } : null;
}

/** Stores the message for one organization. Objects without a record are removed again. */
async function storeFor(
  deps: AcceptDeps,
  email_id: string,
  delivery: Delivery,
  received: Received,
  recipients: Recipient[],
  upload: RawUpload,
): Promise<AcceptedEmail> {
  const { raw, examined, decision } = received;
  const { organization_id } = recipients[0]!.receiver;
  const [attachments, rate] = await Promise.all([
    storeAttachments(deps, raw, examined.message),
    deps.limiter.take(`inbound:${organization_id}`),
    email_id === upload.email_id ? null : storeRaw(deps, email_id, raw),
  ]);
  const removeStored = () =>
    removeObjects(deps, [rawKey(email_id), ...attachments.map(({ storage_key }) => storage_key)]);
  try {
    const receivers = recipients.map(({ receiver }) => ({
      receiver,
      is_loop: isForwardLoop(examined.message, delivery, receiver),
    }));
    const committed = await deps.commitMessage({
      row: {
        ...inboundRow({ email_id, conversation_id: deps.ids.next() }, delivery, received, recipients),
        labels: decision.rule?.labels ?? [],
        quarantine: quarantineOf(decision, receivers, deps.clock.now()),
      },
      rule: decision.rule,
      receivers,
      attachments,
      over_rate: !rate.allowed,
      traceparent: deps.tracing?.current() ?? null,
    });
    if (committed.is_new) {
      const stored_bytes = attachments.reduce((sum, { size_bytes }) => sum + size_bytes, raw.length);
      deps.quota.stored(organization_id, stored_bytes);
    } else await removeStored();
    return { ...committed, organization_id };
  } catch (error) {
    // A commit with a lost connection may have succeeded, and its record needs the objects.
    if (!(error instanceof DatabaseUnavailable)) await removeStored();
    throw error;
  }
}
