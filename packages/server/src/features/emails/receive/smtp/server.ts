// The mail server: takes messages for our addresses only, and answers 250 when a message is safe and not before.
import type { AddressInfo } from 'node:net';
import { limits } from '@parley/contract/limits';
import { readAddress } from '@parley/contract/mailbox';
import type { SMTPServer, SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { DatabaseUnavailable } from '../../../../platform/db/database.ts';
import { isDiskFull } from '../../../../platform/disk-space.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Log } from '../../../../platform/log.ts';
import { type LineFault, lineRules } from '../../../../protocols/mail/line-rules.ts';
import type { Receiver } from '../../../email-domains/index.ts';
import type { Accepting, Delivery } from '../accept-message.ts';
import { messageBuffer } from './message-buffer.ts';
import type { PeerLimits } from './peers.ts';

export type SmtpSettings = {
  host: string;
  port: number;
  /** How the server calls itself. */
  name: string;
  tls: { key: string; cert: string };
  max_bytes: number;
  max_connections: number;
  /** Of all messages that are being received at one time. */
  max_buffered_bytes: number;
};

export type SmtpDeps = {
  log: Log;
  accept: Accepting;
  peers: PeerLimits;
  isReportPath(address: string): boolean;
  receiver(address: string): Promise<Receiver | null>;
  /** Whether the organization stores as much as it may. */
  isFull(organization_id: string): Promise<boolean>;
};

/** The code that senders act on, and the words that people read. */
const refusal = (responseCode: number, words: string) => Object.assign(new Error(words), { responseCode });
const mailboxFull = () => refusal(552, '5.2.2 The mailbox is full');
const later = () => refusal(451, '4.3.0 Temporary trouble here, please try again later');

const faults: Record<LineFault, () => Error> = {
  bare_line_break: () => refusal(550, '5.6.11 A line break must be CR LF'),
  line_too_long: () => refusal(550, `5.6.0 A line may have ${limits.inbound_line_bytes} bytes at most`),
};

type Transaction = { receivers: Delivery['receivers']; report_paths: string[] };

export function smtpListener(deps: SmtpDeps, settings: SmtpSettings) {
  const { log, peers } = deps;
  const transactions = new WeakMap<SMTPServerSession, Transaction>();
  const entered = new WeakSet<SMTPServerSession>();
  let buffered_bytes = 0;

  /** Never throws: what is not foreseen is trouble of ours, and the sender shall try again. */
  const answering = (
    work: () => Promise<string | undefined>,
    done: (error?: Error | null, words?: string) => void,
  ) => {
    work().then(
      (words) => done(null, words),
      (error: Error & { responseCode?: number }) => {
        if (error.responseCode) return done(error);
        if (error instanceof ApiError && error.code === 'storage_quota_exceeded') return done(mailboxFull());
        if (isDiskFull(error)) {
          log.error({ reason: error.message }, 'the disk is full: a message could not be received');
          return done(refusal(452, '4.3.1 Insufficient system storage, please try again later'));
        }
        if (error instanceof DatabaseUnavailable)
          log.warn({ err: error }, 'a message waits for the database');
        else log.error({ err: error }, 'a message could not be received');
        done(later());
      },
    );
  };

  const addRecipient = async (given: string, session: SMTPServerSession): Promise<undefined> => {
    const transaction = transactions.get(session)!;
    const address = readAddress(given);
    if (address && deps.isReportPath(address)) {
      transaction.report_paths.push(address);
      return;
    }
    const receiver = address && (await deps.receiver(address));
    if (!receiver) {
      if (!peers.take(session.remoteAddress))
        throw refusal(450, '4.7.1 Too many wrong recipients, try again later');
      throw refusal(550, '5.1.1 No such mailbox here');
    }
    if (await deps.isFull(receiver.organization_id)) throw mailboxFull();
    transaction.receivers.push({ address, receiver });
  };

  const readWhole = async (stream: SMTPServerDataStream, held: { bytes: number }): Promise<Buffer> => {
    const message = messageBuffer(settings.max_bytes);
    const lines = lineRules(limits.inbound_line_bytes);
    let fault: (() => Error) | null = null;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (fault) continue;
      held.bytes += chunk.length;
      buffered_bytes += chunk.length;
      const broken = lines.check(chunk);
      if (broken) fault = faults[broken];
      else if (held.bytes > settings.max_bytes) fault = () => refusal(552, '5.3.4 The message is too large');
      else if (buffered_bytes > settings.max_buffered_bytes)
        fault = () => refusal(452, '4.3.1 Busy, try again later');
      // After a fault the rest is read and dropped: the answer comes at its end.
      else message.add(chunk);
    }
    if (fault) throw fault();
    return message.whole();
  };

  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    const held = { bytes: 0 };
    try {
      return await acceptWhole(await readWhole(stream, held), session);
    } finally {
      buffered_bytes -= held.bytes;
    }
  };

  const acceptWhole = async (raw: Buffer, session: SMTPServerSession): Promise<string> => {
    const { receivers, report_paths } = transactions.get(session)!;
    const { mailFrom } = session.envelope;
    const accepted = await deps.accept({
      raw,
      mail_from: mailFrom ? mailFrom.address : '',
      peer: {
        remote_address: session.remoteAddress,
        helo: session.hostNameAppearsAs || session.remoteAddress,
      },
      receivers,
      report_paths,
      provider: 'smtp',
      provider_message_id: null,
      verdicts: null,
    });
    if ('refused' in accepted) {
      throw accepted.is_too_large
        ? refusal(552, `5.3.4 ${accepted.refused}`)
        : refusal(554, `5.6.0 ${accepted.refused}`);
    }
    return '2.6.0 Accepted';
  };

  const options: SMTPServerOptions = {
    name: settings.name,
    banner: 'Parley',
    ...settings.tls,
    minVersion: 'TLSv1.2',
    authOptional: true,
    disabledCommands: ['AUTH'],
    size: settings.max_bytes,
    rejectOversized: true,
    maxClients: settings.max_connections,
    maxRecipients: limits.inbound_recipients,
    // The words of an answer carry the right code already; a general one would call every 550 a dead address.
    hideENHANCEDSTATUSCODES: true,
    disableReverseLookup: true,
    socketTimeout: 60_000,
    closeTimeout: 5000,
    logger: false,
    onConnect(session, done) {
      if (!peers.enter(session.remoteAddress))
        return done(refusal(421, '4.7.0 Too many connections from you'));
      entered.add(session);
      done();
    },
    onClose(session) {
      if (entered.delete(session)) peers.leave(session.remoteAddress);
    },
    onMailFrom(_, session, done) {
      if (!peers.take(session.remoteAddress))
        return done(refusal(450, '4.7.1 Too many messages from you, try again later'));
      transactions.set(session, { receivers: [], report_paths: [] });
      done();
    },
    onRcptTo: ({ address }, session, done) => answering(() => addRecipient(address, session), done),
    onData: (stream, session, done) => answering(() => receive(stream, session), done),
  };
  let server: SMTPServer | null = null;

  return {
    /** The port it listens on. */
    async listen(): Promise<number> {
      const { SMTPServer } = await import('smtp-server');
      const made = new SMTPServer(options);
      await new Promise<void>((resolve, reject) => {
        // Once it listens, broken connections and failed handshakes are the other side's.
        made.on('error', (error) => {
          log.debug({ err: error }, 'a mail connection broke');
          reject(error);
        });
        made.listen(settings.port, settings.host, () => resolve());
      });
      server = made;
      return (made.server.address() as AddressInfo).port;
    },
    /** Lets messages that are under way finish, for a few seconds. */
    close: () => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())),
  };
}
