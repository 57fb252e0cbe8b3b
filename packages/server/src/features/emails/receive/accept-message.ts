// Takes a whole message for good: judged, stored and written down before anybody is told that it was accepted.
import { buffer } from 'node:stream/consumers';
import { limits } from '@parley/contract/limits';
import { addressKey } from '@parley/contract/mailbox';
import type { Clock } from '../../../platform/clock.ts';
import { DatabaseUnavailable } from '../../../platform/db/database.ts';
import { type Ids, momentOf } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { RateLimiter } from '../../../platform/rate-limit.ts';
import { clean } from '../../../protocols/mail/mime/parse-message.ts';
import { contentOf } from '../../../protocols/mail/mime/pieces.ts';
import { headerEnd, UnreadableMessage } from '../../../protocols/mail/mime/structure.ts';
import type { SpamScanner } from '../../../providers/spam/spam-scanner.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { VirusScanner } from '../../../providers/virus/virus-scanner.ts';
import type { EmailAttachments, StoredAttachment } from '../../email-attachments/index.ts';
import type { Receiver } from '../../email-domains/index.ts';
import { mailObjectKey } from '../../mail-objects/index.ts';
import type { StorageQuota } from '../../storage-quota/index.ts';
import type { ReportIntake } from '../delivery-reports/intake.ts';
import { threadKey } from '../threads.ts';
import type { Committed, Committing } from './commit-messages.ts';
import type { Verdict } from './examination/authentication.ts';
import { type Judged, large_bytes, type MessageExaminer } from './examination/examiner.ts';
import { isLoop } from './forward-loop.ts';
import type { InboundRow } from './store.ts';

export type Verdicts = Record<'spam' | 'virus' | 'spf' | 'dkim' | 'dmarc', Verdict>;

export type Delivery = {
  raw: Buffer;
  /** Empty for bounces. */
  mail_from: string;
  /** Null where the message did not come over a connection that could be judged. */
  peer: { remote_address: string; helo: string } | null;
  /** Every recipient that is one of ours, with who it belongs to. */
  receivers: { address: string; receiver: Receiver }[];
  /** Addresses of ours that only take reports. */
  report_paths: string[];
  /** Whoever handed the message over. */
  provider: string;
  provider_message_id: string | null;
  /** What others found who judged the message already. */
  verdicts: { [Kind in keyof Verdicts]?: Verdict | undefined } | null;
};

/** `is_too_large`: refused for its size alone. */
export type Acceptance =
  | { refused: string; is_too_large: boolean }
  | { emails: (Committed & { organization_id: string })[] };

export type Accepting = ReturnType<typeof accepting>;

export function accepting(deps: {
  clock: Clock;
  ids: Ids;
  log: Log;
  storage: ObjectStorage;
  quota: Pick<StorageQuota, 'check' | 'stored'>;
  examiner: MessageExaminer;
  committing: Committing;
  attachments: Pick<EmailAttachments, 'expiry'>;
  reports: Pick<ReportIntake, 'recordFromMailbox'>;
  /** What came back to one of our return paths. */
  takeReport(recipient: string, raw: Buffer): Promise<void>;
  /** Of messages that come in for an organization. */
  limiter: Pick<RateLimiter, 'take'>;
  spam: SpamScanner | null;
  virus: VirusScanner | null;
  max_bytes: number;
}) {
  const { clock, ids, storage } = deps;

  const rawKey = (id: string) => mailObjectKey('raw/in', id);
  const putRaw = (id: string, raw: Buffer) =>
    storage.put(rawKey(id), raw, { content_type: 'message/rfc822', max_bytes: deps.max_bytes });

  const readRaw = async (id: string): Promise<Buffer> => {
    const content = await storage.open(rawKey(id));
    if (!content) throw new Error(`The raw message ${id} is gone`);
    return buffer(content);
  };

  const remove = (key: string) =>
    storage.remove(key).catch((error: Error) => deps.log.warn({ err: error }, 'an object stays behind'));

  const putAttachments = (raw: Buffer, { message }: Judged): Promise<StoredAttachment[]> =>
    Promise.all(
      message.attachments.map(async ({ filename, content_type, pieces }) => {
        const id = ids.next();
        const storage_key = mailObjectKey('attachments/in', id);
        const [only] = pieces;
        const content = pieces.length === 1 && only instanceof Uint8Array ? only : contentOf(raw, pieces);
        const kept = await storage.put(storage_key, content, { content_type, max_bytes: deps.max_bytes * 2 });
        if ('too_large' in kept) throw new UnreadableMessage('An attachment is too large');
        const created_at = clock.now().toISOString();
        return {
          id,
          filename,
          content_type,
          ...kept,
          storage_key,
          created_at,
          expires_at: deps.attachments.expiry(),
        };
      }),
    );

  const scanned = async <T>(scan: Promise<T> | undefined, failed: T): Promise<T> =>
    (await scan?.catch((error: Error) => {
      deps.log.warn({ err: error }, 'a scanner did not answer');
      return failed;
    })) ?? failed;

  const verdictsOf = async (
    delivery: Delivery,
    raw: Buffer,
    { authentication }: Judged,
  ): Promise<Verdicts> => {
    const [spam, virus] = await Promise.all([
      delivery.verdicts?.spam ??
        (deps.spam ? scanned(deps.spam.scan(raw, delivery), 'PROCESSING_FAILED' as const) : 'DISABLED'),
      delivery.verdicts?.virus ??
        (deps.virus ? scanned(deps.virus.scan(raw), 'PROCESSING_FAILED' as const) : 'DISABLED'),
    ]);
    return {
      spam,
      virus,
      spf: delivery.verdicts?.spf ?? authentication?.spf_verdict ?? 'DISABLED',
      dkim: delivery.verdicts?.dkim ?? authentication?.dkim_verdict ?? 'DISABLED',
      dmarc: delivery.verdicts?.dmarc ?? authentication?.dmarc_verdict ?? 'DISABLED',
    };
  };

  const rowOf = (
    id: string,
    delivery: Delivery,
    found: { raw: Buffer; examined: Judged; verdicts: Verdicts },
    own: Delivery['receivers'],
  ): InboundRow => {
    const { message, authentication } = found.examined;
    // The id's own time: whoever asks for emails since this moment must find this one.
    const now = momentOf(id).toISOString();
    const shown = new Set([...message.to_addresses, ...message.cc_addresses].map(addressKey));
    const recipients = own.map(({ address }) => address);
    const from_address = message.from_address ?? delivery.mail_from;
    return {
      id,
      organization_id: own[0]!.receiver.organization_id,
      conversation_id: ids.next(),
      email_domain_id: own[0]!.receiver.email_domain_id,
      direction: 'inbound',
      from_address,
      from_name: message.from_name,
      to_addresses: message.to_addresses,
      cc_addresses: message.cc_addresses,
      // Whoever got the message without being named in it.
      bcc_addresses: recipients.filter((address) => !shown.has(addressKey(address))),
      reply_to: message.reply_to,
      subject: message.subject,
      status: 'received',
      end_reason: null,
      provider: delivery.provider,
      provider_message_id: delivery.provider_message_id,
      requested_at: now,
      sent_at: null,
      failed_at: null,
      metadata: {},
      body_text: message.body_text,
      body_html: message.body_html,
      is_auto_reply: message.is_auto_reply,
      message_id: message.message_id,
      in_reply_to: message.in_reply_to,
      references_ids: message.references_ids,
      spam_verdict: found.verdicts.spam,
      virus_verdict: found.verdicts.virus,
      dkim_verdict: found.verdicts.dkim,
      spf_verdict: found.verdicts.spf,
      dmarc_verdict: found.verdicts.dmarc,
      provider_received_at: now,
      last_event_at: now,
      raw_key: rawKey(id),
      raw_bytes: found.raw.length,
      composition: null,
      thread_key: threadKey(message.subject, [
        from_address,
        ...message.to_addresses,
        ...message.cc_addresses,
      ]),
      send_deadline: null,
      idempotency_operation: null,
      idempotency_key: null,
      admission: null,
      dedupe_key: message.dedupe_key,
      arrival: {
        mail_from: clean(delivery.mail_from, limits.mailbox_chars),
        recipients,
        remote_address: delivery.peer?.remote_address ?? null,
        helo: delivery.peer ? clean(delivery.peer.helo, 255) : null,
        arc: authentication?.arc ?? 'none',
        authentication_results: authentication ? clean(authentication.results, 10_000) : null,
      },
    };
  };

  /** Stores the message for one organization; what was put into storage for nothing is removed again. */
  const storeFor = async (
    id: string,
    delivery: Delivery,
    found: { raw: Buffer; examined: Judged; verdicts: Verdicts; raw_is_stored: boolean },
    own: Delivery['receivers'],
  ) => {
    const { raw, examined } = found;
    const { organization_id } = own[0]!.receiver;
    const [attachments, rate] = await Promise.all([
      putAttachments(raw, examined),
      deps.limiter.take(`inbound:${organization_id}`),
      found.raw_is_stored ? null : putRaw(id, raw),
    ]);
    const tidy = async () => {
      for (const key of [rawKey(id), ...attachments.map((each) => each.storage_key)]) await remove(key);
    };
    try {
      const committed = await deps.committing.commit({
        row: rowOf(id, delivery, found, own),
        receivers: own.map(({ receiver }) => ({
          receiver,
          is_loop: isLoop(examined.message, delivery, receiver),
        })),
        attachments,
        over_rate: !rate.allowed,
      });
      if (committed.is_new) {
        const kept_bytes = attachments.reduce((sum, each) => sum + each.size_bytes, raw.length);
        deps.quota.stored(organization_id, kept_bytes);
      } else await tidy();
      return { ...committed, organization_id };
    } catch (error) {
      // A commit whose answer was lost may have happened: its objects must then be there.
      if (!(error instanceof DatabaseUnavailable)) await tidy();
      throw error;
    }
  };

  return async function accept(delivery: Delivery): Promise<Acceptance> {
    // Before anything else reads the header: its size decides how long that takes.
    try {
      headerEnd(delivery.raw);
    } catch (error) {
      return refusedFor(error as UnreadableMessage);
    }
    for (const recipient of delivery.report_paths) await deps.takeReport(recipient, delivery.raw);
    const groups = Map.groupBy(delivery.receivers, ({ receiver }) => receiver.organization_id);
    if (groups.size === 0) return { emails: [] };
    // All of them first: a message that one of its receivers has no room for is stored for none.
    for (const organization_id of groups.keys()) await deps.quota.check(organization_id, delivery.raw.length);
    const first_id = ids.next();
    const envelope = delivery.peer && { ...delivery.peer, mail_from: delivery.mail_from };
    let is_first = true;
    const putting = putRaw(first_id, delivery.raw);
    /** The raw message that nothing refers to; it may still be on its way to the storage. */
    const forgetRaw = async () => {
      await putting.catch(() => {});
      if (is_first) await remove(rawKey(first_id));
    };
    try {
      // A large message is moved to a thread, so it is written first; a small one is written meanwhile.
      if (delivery.raw.length >= large_bytes) await putting;
      const [{ raw, examined }] = await Promise.all([
        deps.examiner.examine(delivery.raw, envelope, () => readRaw(first_id)),
        putting,
      ]);
      const { message } = examined;
      if (message.hops > limits.inbound_hops) throw new UnreadableMessage('Too many hops');
      const verdicts = await verdictsOf(delivery, raw, examined);
      const emails: (Committed & { organization_id: string })[] = [];
      for (const own of groups.values()) {
        const reported = message.is_report ? await emailReported(own, raw) : null;
        if (reported) {
          emails.push(reported);
          continue;
        }
        const found = { raw, examined, verdicts, raw_is_stored: is_first };
        emails.push(await storeFor(is_first ? first_id : ids.next(), delivery, found, own));
        is_first = false;
      }
      await forgetRaw();
      return { emails };
    } catch (error) {
      // A commit whose answer was lost may have happened: its objects must then be there.
      if (!(error instanceof DatabaseUnavailable)) await forgetRaw();
      if (error instanceof UnreadableMessage && is_first) return refusedFor(error);
      throw error;
    }
  };

  function refusedFor({ message: refused, is_too_large }: UnreadableMessage): Acceptance {
    return { refused, is_too_large };
  }

  /** A report about one of the organization's own emails belongs to that email and is no letter to anybody. */
  async function emailReported(own: Delivery['receivers'], raw: Buffer) {
    const [{ address: recipient, receiver }] = own as [Delivery['receivers'][number]];
    const { organization_id } = receiver;
    const email_id = await deps.reports.recordFromMailbox(organization_id, { recipient, raw });
    return email_id && { email_id, is_new: false, organization_id };
  }
}
