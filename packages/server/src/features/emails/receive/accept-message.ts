// Accepts a message: checks it, stores its objects and commits its record. The sender gets "accepted" only after the commit.
import { limits } from '@parley/contract/limits';
import { DatabaseUnavailable } from '../../../platform/db/database.ts';
import type { RateLimiter } from '../../../platform/rate-limit.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import { headerEnd, UnreadableMessage } from '../../../protocols/mail/mime/structure.ts';
import type { StorageQuota } from '../../storage-quota/index.ts';
import type { ReportIntake } from '../delivery-reports/intake.ts';
import type { CommitMessage, Committed } from './commit-messages.ts';
import type { Delivery, Recipient, Verdicts } from './delivery.ts';
import type { ExaminedMessage } from './examination/examine.ts';
import { large_bytes, type MessageExaminer } from './examination/examiner.ts';
import { isForwardLoop } from './forward/loop.ts';
import { inboundRow } from './inbound-row.ts';
import {
  type MessageFileDeps,
  rawKey,
  readRaw,
  removeObjects,
  storeAttachments,
  storeRaw,
} from './message-files.ts';
import { type ScanDeps, scanMessage } from './scan-message.ts';

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
    tracing: Tracing | null;
  };

export type AcceptedEmail = Committed & { organization_id: string };
/** `is_too_large`: refused only for its size. */
export type Acceptance = { refused: string; is_too_large: boolean } | { emails: AcceptedEmail[] };
export type AcceptMessage = (delivery: Delivery) => Promise<Acceptance>;

export async function acceptMessage(deps: AcceptDeps, delivery: Delivery): Promise<Acceptance> {
  // First of all, because the time to parse a header depends on its size.
  try {
    headerEnd(delivery.raw);
  } catch (error) {
    return refusal(error as UnreadableMessage);
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
    return { emails };
  } catch (error) {
    // A commit with a lost connection may have succeeded, and its record needs the objects.
    if (!(error instanceof DatabaseUnavailable)) await upload.removeIfUnused();
    if (error instanceof UnreadableMessage && !upload.isUsed()) return refusal(error);
    throw error;
  }
}

const refusal = ({ message: refused, is_too_large }: UnreadableMessage): Acceptance => ({
  refused,
  is_too_large,
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

type Received = { raw: Buffer; examined: ExaminedMessage; verdicts: Verdicts };

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
  const verdicts = await scanMessage(deps, delivery, raw, examined.authentication);
  const emails: AcceptedEmail[] = [];
  for (const recipients of organizations) {
    const reported = message.is_report ? await recordOwnReport(deps, recipients[0]!, raw) : null;
    if (reported) {
      emails.push(reported);
      continue;
    }
    const email_id = upload.isUsed() ? deps.ids.next() : upload.email_id;
    emails.push(await storeFor(deps, email_id, delivery, { raw, examined, verdicts }, recipients, upload));
    upload.setUsed();
  }
  return emails;
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
  const { raw, examined } = received;
  const { organization_id } = recipients[0]!.receiver;
  const [attachments, rate] = await Promise.all([
    storeAttachments(deps, raw, examined.message),
    deps.limiter.take(`inbound:${organization_id}`),
    email_id === upload.email_id ? null : storeRaw(deps, email_id, raw),
  ]);
  const removeStored = () =>
    removeObjects(deps, [rawKey(email_id), ...attachments.map(({ storage_key }) => storage_key)]);
  try {
    const committed = await deps.commitMessage({
      row: inboundRow({ email_id, conversation_id: deps.ids.next() }, delivery, received, recipients),
      receivers: recipients.map(({ receiver }) => ({
        receiver,
        is_loop: isForwardLoop(examined.message, delivery, receiver),
      })),
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
