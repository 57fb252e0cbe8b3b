// The SIP library's core, set up for a telephone trunk over our own transport.
import { randomUUID } from 'node:crypto';
import {
  DigestAuthentication,
  type IncomingInviteRequest,
  IncomingRequestMessage,
  IncomingResponseMessage,
  LoggerFactory,
  type OutgoingRequestMessage,
  Parser,
  Timers,
  URI,
  UserAgentCore,
} from 'sip.js/lib/core/index.js';
import { AllowedMethods } from 'sip.js/lib/core/user-agent-core/allowed-methods.js';
import type { Peer } from './transport/link.ts';
import type { SipTransport } from './transport/transport.ts';

/** No UPDATE: a peer that wants to refresh a call must use re-INVITE, which we answer. */
const methods = ['INVITE', 'ACK', 'CANCEL', 'BYE', 'OPTIONS'];
export const allow_header = `Allow: ${methods.join(', ')}`;

/**
 * The library is written for WebSockets: it forgets a request the moment it has answered, and would not know a repeated
 * BYE. It keeps its timers, and the list of methods, in values of its module; there is no other way to set them.
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
  AllowedMethods.splice(0, AllowedMethods.length, ...methods);
}

export type UserAgentOptions = {
  transport: Pick<SipTransport, 'protocol' | 'send'>;
  t1_ms: number;
  /** Where peers reach us. */
  public_host: string;
  public_port: number;
  from_domain: string;
  trunk: { host: string; port: number | null };
  credentials: { user: string; password: string } | null;
  /** Whether a request that belongs to no call of ours may come from there. */
  isTrusted(address: string): boolean;
  onInvite(request: IncomingInviteRequest, called: string): void;
  /** A sign of life for an INVITE of ours, whatever the library thinks of its form. */
  onProvisional(call_id: string, status: number): void;
};

const contact_user = 'parley';

export function userAgent(options: UserAgentOptions) {
  const { transport, public_host, public_port, from_domain, trunk, credentials } = options;
  setUpLibrary(options.t1_ms, transport.protocol !== 'UDP');
  const loggerFactory = new LoggerFactory();
  // Its texts quote numbers of people, which have no place in a log.
  loggerFactory.builtinEnabled = false;
  const logger = loggerFactory.getLogger('sip');

  const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);
  const uri_parameters = transport.protocol === 'UDP' ? {} : { transport: transport.protocol.toLowerCase() };
  const contact_uri = new URI('sip', contact_user, bracketed(public_host), public_port, uri_parameters);
  const counts = { strangers_dropped: 0, unreadable: 0 };

  const core: UserAgentCore = new UserAgentCore(
    {
      aor: new URI('sip', contact_user, from_domain),
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
      supportedOptionTags: [],
      supportedOptionTagsResponse: [],
      userAgentHeaderFieldValue: 'Parley',
      viaForceRport: true,
      viaHost: `${bracketed(public_host)}:${public_port}`,
      authenticationFactory: () =>
        credentials
          ? new DigestAuthentication(loggerFactory, undefined, credentials.user, credentials.password)
          : undefined,
      transportAccessor: () => transport,
    },
    {
      onInvite: (request) => options.onInvite(request, called.get(request.message) ?? ''),
    },
  );
  /** Whom a request was for, before it was addressed to us. */
  const called = new WeakMap<IncomingRequestMessage, string>();

  function receiveRequest(message: IncomingRequestMessage, from: Peer): void {
    const known =
      core.dialogs.has(message.callId + message.toTag + message.fromTag) ||
      core.userAgentServers.has(message.viaBranch);
    if (!known && !options.isTrusted(from.address)) {
      // Not even a refusal: whoever scans for open trunks learns nothing.
      counts.strangers_dropped++;
      return;
    }
    if (!message.ruri || !message.from || !message.to || !message.callId || !message.via) {
      counts.unreadable++;
      return;
    }
    // The library serves one user and refuses requests for others; to a trunk every number is ours to judge.
    called.set(message, message.ruri.user ?? '');
    message.ruri.scheme = 'sip';
    message.ruri.user = contact_user;
    core.receiveIncomingRequestFromTransport(message);
  }

  return {
    core,
    counts,
    contact: `<${contact_uri}>`,
    from_domain,

    /** What the transport heard. Whatever is in it, this does not throw. */
    receive(text: string, from: Peer): void {
      try {
        const message = Parser.parseMessage(text, logger);
        if (message instanceof IncomingRequestMessage) {
          receiveRequest(message, from);
        } else if (message instanceof IncomingResponseMessage) {
          core.receiveIncomingResponseFromTransport(message);
          const status = message.statusCode ?? 0;
          if (message.method === 'INVITE' && status < 200) options.onProvisional(message.callId, status);
        } else {
          counts.unreadable++;
        }
      } catch {
        counts.unreadable++;
      }
    },

    /** Whether no call is open any more, and every BYE and CANCEL of ours has been answered. */
    hasSaidGoodbye: () =>
      core.dialogs.size === 0 && ![...core.userAgentClients.keys()].some((key) => /(BYE|CANCEL)$/.test(key)),

    /** A request to the trunk that belongs to no call yet. */
    request(
      method: 'INVITE' | 'OPTIONS',
      to_user: string | null,
      from_user: string,
      extra_headers: string[],
      sdp?: string,
    ): OutgoingRequestMessage {
      const target = new URI(
        'sip',
        to_user ?? '',
        bracketed(trunk.host),
        trunk.port ?? undefined,
        uri_parameters,
      );
      const to = new URI('sip', to_user ?? '', bracketed(trunk.host));
      return core.makeOutgoingRequestMessage(
        method,
        target,
        new URI('sip', from_user, from_domain),
        to,
        { callId: randomUUID() },
        [`Contact: <${contact_uri}>`, allow_header, ...extra_headers],
        sdp === undefined
          ? undefined
          : { contentDisposition: 'session', contentType: 'application/sdp', content: sdp },
      );
    },
  };
}
export type UserAgent = ReturnType<typeof userAgent>;
