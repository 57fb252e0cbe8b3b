// The SMTP server: accepts messages for our own addresses only, and replies 250 only after a message is stored.
import type { AddressInfo } from 'node:net';
import { limits } from '@parley/contract/limits';
import { readAddress } from '@parley/contract/schema/mailbox';
import type { SMTPServer, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Log } from '../../../../../platform/log.ts';
import type { Network } from '../../../../../platform/proxied-server.ts';
import type { Receiver } from '../../../email-domains/index.ts';
import type { AcceptMessage } from '../accept/accept-message.ts';
import type { Recipient } from '../delivery.ts';
import type { PeerLimits } from './peer-limits.ts';
import { useClientAddresses } from './proxied-smtp.ts';
import { type BufferBudget, withMessage } from './read-message.ts';
import { replies, replyToError } from './replies.ts';

export type SmtpSettings = {
  host: string;
  port: number;
  /** The host name in the greeting. */
  name: string;
  tls: { key: string; cert: string };
  max_bytes: number;
  max_connections: number;
  /** TCP balancers that send the PROXY protocol. */
  proxies: readonly Network[];
  /** For all messages that are being received at the same time. */
  max_buffered_bytes: number;
};

export type SmtpDeps = {
  log: Log;
  accept: AcceptMessage;
  peers: PeerLimits;
  isReportPath(address: string): boolean;
  receiver(address: string): Promise<Receiver | null>;
  /** Whether the organization has used its storage quota. */
  isFull(organization_id: string): Promise<boolean>;
};

/** What MAIL FROM and RCPT TO of one message have collected. */
type Transaction = { recipients: Recipient[]; report_paths: string[] };

export function smtpListener(deps: SmtpDeps, settings: SmtpSettings) {
  const options = serverOptions(deps, settings);
  let server: SMTPServer | null = null;
  return {
    /** Returns the port. */
    async listen(): Promise<number> {
      const { SMTPServer } = await import('smtp-server');
      const started = new SMTPServer(options);
      useClientAddresses(started, settings.proxies);
      await new Promise<void>((resolve, reject) => {
        // While the server listens, errors are broken connections and failed handshakes of clients: nothing to do.
        started.on('error', (error) => {
          deps.log.debug({ err: error }, 'SMTP connection error');
          reject(error);
        });
        started.listen(settings.port, settings.host, () => resolve());
      });
      server = started;
      return (started.server.address() as AddressInfo).port;
    },
    /** Waits a few seconds for messages that are being received. */
    close: () => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())),
  };
}

function serverOptions(deps: SmtpDeps, settings: SmtpSettings): SMTPServerOptions {
  const { log, peers } = deps;
  const transactions = new WeakMap<SMTPServerSession, Transaction>();
  const connected = new WeakSet<SMTPServerSession>();
  const budget: BufferBudget = { used_bytes: 0, max_bytes: settings.max_buffered_bytes };
  const reply = (
    work: Promise<string | undefined>,
    done: (error?: Error | null, text?: string) => void,
  ): void => {
    work.then(
      (text) => done(null, text),
      (error: Error) => done(replyToError(log, error)),
    );
  };

  return {
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
    // Our replies contain the enhanced code. The library would add a general one, which marks every 550 as an unknown address.
    hideENHANCEDSTATUSCODES: true,
    disableReverseLookup: true,
    socketTimeout: 60_000,
    closeTimeout: 5000,
    logger: false,
    onConnect(session, done) {
      if (!peers.connect(session.remoteAddress)) return done(replies.tooManyConnections());
      connected.add(session);
      done();
    },
    onClose(session) {
      if (connected.delete(session)) peers.disconnect(session.remoteAddress);
    },
    onMailFrom(_, session, done) {
      if (!peers.countMessage(session.remoteAddress)) return done(replies.tooManyMessages());
      transactions.set(session, { recipients: [], report_paths: [] });
      done();
    },
    onRcptTo: ({ address }, session, done) =>
      reply(addRecipient(deps, transactions.get(session)!, address, session.remoteAddress), done),
    onData(stream, session, done) {
      const accept = (raw: Buffer) => acceptData(deps, transactions.get(session)!, session, raw);
      reply(withMessage(stream as AsyncIterable<Buffer>, settings.max_bytes, budget, accept), done);
    },
  };
}

async function addRecipient(
  deps: SmtpDeps,
  transaction: Transaction,
  text: string,
  remote_address: string,
): Promise<undefined> {
  const address = readAddress(text);
  if (address && deps.isReportPath(address)) {
    transaction.report_paths.push(address);
    return;
  }
  const receiver = address && (await deps.receiver(address));
  if (!receiver) {
    if (!deps.peers.countMessage(remote_address)) throw replies.tooManyUnknownRecipients();
    throw replies.noSuchMailbox();
  }
  if (await deps.isFull(receiver.organization_id)) throw replies.mailboxFull();
  transaction.recipients.push({ address, receiver });
}

async function acceptData(
  deps: SmtpDeps,
  { recipients, report_paths }: Transaction,
  session: SMTPServerSession,
  raw: Buffer,
): Promise<string> {
  const { mailFrom } = session.envelope;
  const accepted = await deps.accept({
    raw,
    mail_from: mailFrom ? mailFrom.address : '',
    peer: {
      remote_address: session.remoteAddress,
      helo: session.hostNameAppearsAs || session.remoteAddress,
    },
    recipients,
    report_paths,
    provider: 'smtp',
    provider_message_id: null,
    verdicts: null,
  });
  if ('refused' in accepted) throw replies.messageRefused(accepted);
  return '2.6.0 Accepted';
}
