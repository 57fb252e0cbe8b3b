// The servers of SMTP submission (RFC 6409, RFC 8314): STARTTLS and implicit TLS, with API keys as passwords.
import type { AddressInfo } from 'node:net';
import { limits } from '@parley/contract/limits';
import { asciiDomain, readAddress } from '@parley/contract/schema/mailbox';
import type { SMTPServer, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Ceilings } from '../../../platform/http/ceilings.ts';
import { networkOf } from '../../../platform/http/client-network.ts';
import type { Caller } from '../../../platform/http/context.ts';
import type { FailedCredentials } from '../../../platform/http/failed-credentials.ts';
import type { OpenHolds } from '../../../platform/http/holds.ts';
import type { Log } from '../../../platform/log.ts';
import type { Network } from '../../../platform/proxied-server.ts';
import { type BufferBudget, type PeerLimits, useClientAddresses, withSmtpMessage } from '../emails/index.ts';
import { replies, replyToError } from './replies.ts';
import type { Submission } from './submit.ts';

export type SubmissionSettings = {
  host: string;
  /** The host name in the greeting. */
  name: string;
  tls: { key: string; cert: string };
  max_bytes: number;
  max_connections: number;
  /** TCP balancers that send the PROXY protocol. */
  proxies: readonly Network[];
  /** For all messages that are being received at the same time. */
  max_buffered_bytes: number;
  /** Longer than a hand-over may take. */
  socket_timeout_ms: number;
};

export type ServerDeps = {
  log: Log;
  peers: PeerLimits;
  failures: FailedCredentials;
  limiter: Ceilings;
  recognize(bearer: string): Caller | null | Promise<Caller | null>;
  holds: OpenHolds;
  /** Whether the organization can send from an address. */
  isSender(organization_id: string, address: string): Promise<boolean>;
  submit(submission: Submission): Promise<string>;
  /** Called with the code of each reply to a message. */
  count(code: number): void;
};

/** The part of a connection of the library that a stop uses. */
type Connection = { session: SMTPServerSession; send(code: number, text: string): void; close(): void };

/** What all connections of both servers share. */
type State = {
  keys: WeakMap<SMTPServerSession, string>;
  /** Stop watching the key of a session. */
  releases: WeakMap<SMTPServerSession, () => void>;
  /** Sessions whose key ended while a message was received. */
  ended: WeakSet<SMTPServerSession>;
  connected: WeakSet<SMTPServerSession>;
  /** Sessions whose message is being received or handed over. */
  busy: Set<SMTPServerSession>;
  budget: BufferBudget;
  is_closing: boolean;
};

export function submissionServer(deps: ServerDeps, settings: SubmissionSettings) {
  const state: State = {
    keys: new WeakMap(),
    releases: new WeakMap(),
    ended: new WeakSet(),
    connected: new WeakSet(),
    busy: new Set(),
    budget: { used_bytes: 0, max_bytes: settings.max_buffered_bytes },
    is_closing: false,
  };
  const servers: SMTPServer[] = [];
  const connections = () => servers.flatMap((server) => [...(server.connections as Set<Connection>)]);
  const endSession = (session: SMTPServerSession, text: string) => {
    const connection = connections().find((each) => each.session === session);
    connection?.send(421, text);
    connection?.close();
  };
  const shared = { deps, settings, state, endSession };
  return {
    /** Returns the port. */
    async listen(port: number, { is_implicit_tls }: { is_implicit_tls: boolean }): Promise<number> {
      const { SMTPServer } = await import('smtp-server');
      const server = new SMTPServer({ ...serverOptions(shared), secure: is_implicit_tls });
      useClientAddresses(server, settings.proxies);
      await new Promise<void>((resolve, reject) => {
        // While the server listens, errors are broken connections and failed handshakes of clients: nothing to do.
        server.on('error', (error) => {
          deps.log.debug({ err: error }, 'submission connection error');
          reject(error);
        });
        server.listen(port, settings.host, () => resolve());
      });
      servers.push(server);
      return (server.server.address() as AddressInfo).port;
    },
    isListening: () => servers.length > 0 && servers.every(({ server }) => server.listening),
    connectionCount: () => connections().length,
    /** Idle connections end at once; messages in progress get their reply first. */
    async close(): Promise<void> {
      state.is_closing = true;
      for (const { session } of connections())
        if (!state.busy.has(session)) endSession(session, replies.closing().message);
      await Promise.all(
        servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
      );
    },
  };
}

type Shared = {
  deps: ServerDeps;
  settings: SubmissionSettings;
  state: State;
  endSession(session: SMTPServerSession, text: string): void;
};

function serverOptions(shared: Shared): SMTPServerOptions {
  const { deps, settings, state } = shared;
  const { log, peers } = deps;
  const reply = <T>(work: Promise<T>, done: (error?: Error | null, value?: T) => void): void => {
    work.then(
      (value) => done(null, value),
      (error: Error) => done(replyToError(log, error)),
    );
  };
  return {
    name: settings.name,
    banner: 'Parley submission',
    ...settings.tls,
    minVersion: 'TLSv1.2',
    authMethods: ['PLAIN', 'LOGIN'],
    // The default, stated because it matters: without TLS a password is refused.
    allowInsecureAuth: false,
    authOptional: false,
    size: settings.max_bytes,
    rejectOversized: true,
    maxClients: settings.max_connections,
    maxRecipients: limits.email_recipients,
    hideENHANCEDSTATUSCODES: true,
    hideREQUIRETLS: true,
    disableReverseLookup: true,
    socketTimeout: settings.socket_timeout_ms,
    // The caller of `close` limits the time.
    closeTimeout: 3_600_000,
    logger: false,
    onConnect(session, done) {
      if (state.is_closing) return done(replies.closing());
      if (!peers.connect(session.remoteAddress)) return done(replies.tooManyConnections());
      state.connected.add(session);
      // Not offered before TLS (RFC 4954 section 4).
      if (!session.secure) disableCommands(session, ['AUTH']);
      done();
    },
    onSecure(_, session, done) {
      disableCommands(session, []);
      done();
    },
    onClose(session) {
      if (state.connected.delete(session)) peers.disconnect(session.remoteAddress);
      state.releases.get(session)?.();
      state.releases.delete(session);
      state.busy.delete(session);
    },
    onAuth({ password }, session, done) {
      reply(authenticate(shared, session, password ?? ''), (error, caller) => {
        if (error) return done(error);
        done(null, { user: caller!.credential_id });
      });
    },
    onMailFrom: ({ address }, session, done) => reply(checkSender(shared, session, address), done),
    onRcptTo({ address }, _, done) {
      done(readAddress(address) ? null : replies.badRecipient());
    },
    onData(stream, session, done) {
      reply(receive(shared, session, stream as AsyncIterable<Buffer>), (error, text) => {
        deps.count((error as { responseCode?: number } | null)?.responseCode ?? 250);
        done(error, text);
        state.busy.delete(session);
        const last = state.is_closing
          ? replies.closing()
          : state.ended.has(session)
            ? replies.keyRevoked()
            : null;
        if (last) setImmediate(() => shared.endSession(session, last.message));
      });
    },
  };
}

/** An option of the library that its types lack. */
const disableCommands = (session: SMTPServerSession, names: string[]): void =>
  void Object.assign(session, { disabledCommands: names });

async function authenticate(
  { deps, state, endSession }: Shared,
  session: SMTPServerSession,
  key: string,
): Promise<Caller> {
  const { failures } = deps;
  const network = networkOf(session.remoteAddress);
  if (failures.waitSeconds(network, key) > 0) {
    const reply = replies.tooManyWrongKeys();
    setImmediate(() => endSession(session, reply.message));
    throw reply;
  }
  const caller = await callerOf(deps, key);
  if (!caller) {
    failures.failed(network, key);
    throw replies.wrongKey();
  }
  failures.worked(network, key);
  if (!caller.scopes.includes('*') && !caller.scopes.includes('emails:write')) throw replies.noScope();
  if (!caller.grants_consent) throw replies.noConsent();
  state.keys.set(session, key);
  state.releases.get(session)?.();
  const end = () => {
    // A message that is on its way gets its reply first.
    if (state.busy.has(session)) state.ended.add(session);
    else endSession(session, replies.keyRevoked().message);
  };
  state.releases.set(session, deps.holds.add({ bearer: key, caller, end }));
  return caller;
}

/** A valid key of a person without a membership is a wrong one here. */
const callerOf = async ({ recognize }: ServerDeps, key: string): Promise<Caller | null> => {
  if (key === '') return null;
  try {
    return await recognize(key);
  } catch (error) {
    if ((error as { code?: string }).code === 'user_not_provisioned') return null;
    throw error;
  }
};

/** Looked up for every message, because a connection may outlive its key. */
async function currentCaller({ deps, state }: Shared, session: SMTPServerSession): Promise<Caller> {
  const key = state.keys.get(session);
  if (key === undefined) throw replies.noKey();
  const caller = await callerOf(deps, key);
  if (!caller?.grants_consent) throw replies.keyRevoked();
  return caller;
}

async function checkSender(shared: Shared, session: SMTPServerSession, text: string): Promise<undefined> {
  const { deps, state, endSession } = shared;
  if (state.is_closing) {
    setImmediate(() => endSession(session, replies.closing().message));
    throw replies.closing();
  }
  const caller = await currentCaller(shared, session);
  const verdict = await deps.limiter.take(caller);
  if (!verdict.allowed) throw replies.tooManyRequests();
  const address = readAddress(text);
  const { organization_id } = caller.identity;
  if (!address || !(await deps.isSender(organization_id, asciiDomain(address))))
    throw replies.notYourSender();
}

async function receive(
  shared: Shared,
  session: SMTPServerSession,
  stream: AsyncIterable<Buffer>,
): Promise<string> {
  const { deps, settings, state } = shared;
  state.busy.add(session);
  return withSmtpMessage(stream, settings.max_bytes, state.budget, async (raw) => {
    const { mailFrom, rcptTo } = session.envelope;
    const to = rcptTo.flatMap(({ address }) => readAddress(address) ?? []);
    const from = readAddress(mailFrom ? mailFrom.address : '')!;
    return deps.submit({ caller: await currentCaller(shared, session), envelope: { from, to }, raw });
  });
}
