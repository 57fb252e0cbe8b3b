// Sets up the core of SIP.js for a telephone trunk over our own transport.
import { randomUUID } from 'node:crypto';
import { type Credentials, type Login, login, takeChallenges } from './login.ts';
import { no_capacity } from './no-capacity.ts';
import { refusalOfRequirements, supported_extensions } from './requirements.ts';
import {
  type IncomingInviteRequest,
  IncomingRequestMessage,
  IncomingResponseMessage,
  LoggerFactory,
  type OutgoingRequestMessage,
  Parser,
  Timers,
  URI,
  UserAgentCore,
} from './sipjs/core/index.js';
import { AllowedMethods } from './sipjs/core/user-agent-core/allowed-methods.js';
import type { Peer } from './transport/link.ts';
import type { SipTransport } from './transport/transport.ts';

const allow_header = `Allow: ${AllowedMethods.join(', ')}`;

/**
 * SIP.js is written for WebSockets: it deletes a request right after the response, and would not recognize a repeated BYE.
 * Its timers are global values of the module, so they are changed in place.
 */
function setUpLibrary(t1_ms: number, reliable: boolean): void {
  const long = 64 * t1_ms;
  Object.assign(Timers, {
    T1: t1_ms,
    T2: 8 * t1_ms,
    T4: 10 * t1_ms,
    ...{ TIMER_B: long, TIMER_F: long, TIMER_H: long, TIMER_L: long, TIMER_M: long, TIMER_N: long },
    TIMER_J: reliable ? 0 : long,
  });
}

export type UserAgentOptions = {
  transport: Pick<SipTransport, 'protocol' | 'send'>;
  t1_ms: number;
  /** Our address as peers see it. */
  public_host: string;
  public_port: number;
  from_domain: string;
  trunk: { host: string; port: number | null };
  /** Null: nothing is registered. */
  registrar: { host: string; port: number | null; domain: string } | null;
  credentials: Credentials | null;
  /** Whether this process can take another call. A proxy asks for it with OPTIONS. */
  wantsCalls(): boolean;
  /** Whether a request that belongs to no call may come from this address. */
  isTrusted(address: string): boolean;
  onInvite(request: IncomingInviteRequest, called: string): void;
  /** Called for every provisional response to our INVITE, also for those that SIP.js drops as malformed. */
  onProvisional(call_id: string, status: number): void;
};

const contact_user = 'parley';

type RequestParts = {
  headers: string[];
  sdp?: string;
  /** The request repeats one of an earlier call, with a higher number. */
  call?: { callId: string; fromTag: string; cseq: number } | { callId: string };
};

type Agent = {
  options: UserAgentOptions;
  core: UserAgentCore;
  contact_uri: URI;
  uri_parameters: Record<string, string>;
  login: Login;
  counts: { untrusted_dropped: number; unreadable: number };
  /** The user part that a request was sent to, before it was replaced by ours. */
  called: WeakMap<IncomingRequestMessage, string>;
};

export function userAgent(options: UserAgentOptions) {
  const { transport, public_host, public_port } = options;
  setUpLibrary(options.t1_ms, transport.protocol !== 'UDP');
  const loggerFactory = new LoggerFactory();
  // The library's log texts contain phone numbers of people.
  loggerFactory.builtinEnabled = false;
  const logger = loggerFactory.getLogger('sip');
  const uri_parameters: Record<string, string> =
    transport.protocol === 'UDP' ? {} : { transport: transport.protocol.toLowerCase() };
  const contact_uri = new URI('sip', contact_user, bracketed(public_host), public_port, uri_parameters);
  const called: Agent['called'] = new WeakMap();
  const own_login = login(options.credentials);
  const core = createCore(options, contact_uri, { loggerFactory, called, answerChallenge: own_login.answer });
  const counts = { untrusted_dropped: 0, unreadable: 0 };
  const agent: Agent = { options, core, contact_uri, uri_parameters, login: own_login, counts, called };
  return {
    core,
    counts,
    contact: `<${contact_uri}>`,
    allow_header,
    from_domain: options.from_domain,
    /** Handles a message from the transport. It does not throw, whatever the message contains. */
    receive(text: string, from: Peer): void {
      try {
        const { text: readable, challenges } = takeChallenges(text);
        const message = Parser.parseMessage(readable, logger);
        if (message instanceof IncomingResponseMessage) own_login.setChallenges(message, challenges);
        receiveMessage(agent, message, from);
      } catch {
        counts.unreadable++;
      }
    },
    /** A request to the registrar; `user` is the one that is registered there. */
    registerRequest: (
      user: string,
      expires_s: number,
      call: { callId: string; cseq: number },
    ): OutgoingRequestMessage => createRegister(agent, user, expires_s, call),
    /** A challenge of this request is not answered any more. */
    giveUp: own_login.giveUp,
    /** True when no dialog is open any more, and every BYE, CANCEL and REGISTER of ours got a response. */
    hasClosedAll: () =>
      core.dialogs.size === 0 &&
      ![...core.userAgentClients.keys()].some((key) => /(BYE|CANCEL|REGISTER)$/.test(key)),
    /** A request to the trunk that starts a new dialog. */
    request: (
      method: 'INVITE' | 'OPTIONS',
      to_user: string | null,
      from_user: string,
      parts: RequestParts,
    ): OutgoingRequestMessage => createRequest(agent, method, to_user, from_user, parts),
  };
}
export type UserAgent = ReturnType<typeof userAgent>;

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

function createCore(
  options: UserAgentOptions,
  contact_uri: URI,
  parts: { loggerFactory: LoggerFactory; called: Agent['called']; answerChallenge: Login['answer'] },
): UserAgentCore {
  const { transport, public_host, public_port } = options;
  const { loggerFactory, called, answerChallenge } = parts;
  return new UserAgentCore(
    {
      aor: new URI('sip', contact_user, options.from_domain),
      contact: {
        pubGruu: undefined,
        tempGruu: undefined,
        uri: contact_uri,
        toString: () => `<${contact_uri}>`,
      },
      displayName: '',
      loggerFactory,
      hackViaTcp: false,
      routeSet: [],
      sipjsId: '',
      supportedOptionTags: [...supported_extensions],
      supportedOptionTagsResponse: [...supported_extensions],
      userAgentHeaderFieldValue: 'Parley',
      viaForceRport: true,
      viaHost: `${bracketed(public_host)}:${public_port}`,
      answerChallenge,
      transportAccessor: () => transport,
    },
    {
      onInvite: (request) => options.onInvite(request, called.get(request.message) ?? ''),
    },
  );
}

function receiveMessage(agent: Agent, message: unknown, from: Peer): void {
  if (message instanceof IncomingRequestMessage) {
    receiveRequest(agent, message, from);
  } else if (message instanceof IncomingResponseMessage) {
    agent.core.receiveIncomingResponseFromTransport(message);
    const status = message.statusCode ?? 0;
    if (message.method === 'INVITE' && status < 200) agent.options.onProvisional(message.callId, status);
  } else {
    agent.counts.unreadable++;
  }
}

function receiveRequest(
  { core, options, counts, called }: Agent,
  message: IncomingRequestMessage,
  from: Peer,
) {
  const belongs_to_call =
    core.dialogs.has(message.callId + message.toTag + message.fromTag) ||
    core.userAgentServers.has(message.viaBranch);
  if (!belongs_to_call && !options.isTrusted(from.address)) {
    // No response at all, so that a scanner for open trunks learns nothing.
    counts.untrusted_dropped++;
    return;
  }
  if (!message.ruri || !message.from || !message.to || !message.callId || !message.via) {
    counts.unreadable++;
    return;
  }
  // The library would answer 200, and a proxy in front of several processes would send calls to a full one.
  if (message.method === 'OPTIONS' && !message.toTag && !options.wantsCalls()) {
    core.replyStateless(message, no_capacity);
    return;
  }
  const refusal = core.userAgentServers.has(message.viaBranch) ? null : refusalOfRequirements(message);
  if (refusal) {
    core.replyStateless(message, refusal);
    return;
  }
  // The library serves one user and refuses requests to others. A trunk calls many numbers, so replace the user by ours.
  called.set(message, calledUser(message));
  message.ruri.scheme = 'sip';
  message.ruri.user = contact_user;
  core.receiveIncomingRequestFromTransport(message);
}

/**
 * The number that was called. A registrar sends calls to the address that we registered, which names no number: then it is in
 * P-Called-Party-ID (RFC 7315) or in To.
 */
function calledUser(message: IncomingRequestMessage): string {
  const user = message.ruri?.user ?? '';
  if (user !== contact_user) return user;
  const party = /<?sips?:([^@;>\s]{1,64})@/i.exec(message.getHeader('p-called-party-id') ?? '')?.[1];
  return party ?? message.to.uri.user ?? user;
}

function createRegister(
  { core, options, contact_uri, uri_parameters }: Agent,
  user: string,
  expires_s: number,
  call: { callId: string; cseq: number },
): OutgoingRequestMessage {
  const { host, port, domain } = options.registrar ?? { ...options.trunk, domain: options.from_domain };
  const registered = new URI('sip', user, bracketed(domain));
  return core.makeOutgoingRequestMessage(
    'REGISTER',
    new URI('sip', '', bracketed(host), port ?? undefined, uri_parameters),
    registered,
    registered,
    { ...call, optionTags: [...supported_extensions] },
    [`Contact: <${contact_uri}>`, allow_header, `Expires: ${expires_s}`],
  );
}

function createRequest(
  { core, options, contact_uri, uri_parameters }: Agent,
  method: 'INVITE' | 'OPTIONS',
  to_user: string | null,
  from_user: string,
  { headers, sdp, call = { callId: randomUUID() } }: RequestParts,
): OutgoingRequestMessage {
  const { trunk, from_domain } = options;
  const host = bracketed(trunk.host);
  return core.makeOutgoingRequestMessage(
    method,
    new URI('sip', to_user ?? '', host, trunk.port ?? undefined, uri_parameters),
    new URI('sip', from_user, from_domain),
    new URI('sip', to_user ?? '', host),
    call,
    [`Contact: <${contact_uri}>`, allow_header, ...headers],
    sdp === undefined
      ? undefined
      : { contentDisposition: 'session', contentType: 'application/sdp', content: sdp },
  );
}
