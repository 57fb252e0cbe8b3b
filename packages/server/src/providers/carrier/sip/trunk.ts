// The SIP trunk: places and accepts calls, carries their audio, and checks whether the trunk is reachable.
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { MediaSession } from '../../media/media-session.ts';
import type { CallDeps, CallEvent, SipCall } from './call.ts';
import { trunkHealth } from './health.ts';
import { type DecideInbound, inboundCall } from './inbound-call.ts';
import { no_capacity } from './no-capacity.ts';
import type { SipTrunkOptions } from './options.ts';
import { type DialOrder, outboundCall, type PlacedCall } from './outbound-call.ts';
import { type RegistrationState, registration } from './registration.ts';
import { type RtpPorts, rtpPorts } from './rtp/ports.ts';
import { raisePriority } from './rtp/priority.ts';
import { type RtpWheel, rtpWheel } from './rtp/session.ts';
import type { IncomingInviteRequest } from './sipjs/core/index.js';
import type { OurReason } from './translate.ts';
import { connections } from './transport/connections.ts';
import { datagrams } from './transport/datagrams.ts';
import { type Hop, nextHops, type Resolver, systemResolver } from './transport/next-hop.ts';
import { type SipTransport, sipTransport } from './transport/transport.ts';
import type { UserAgent } from './user-agent.ts';

export type SipTrunkDeps = {
  log: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
  };
  /** Decides whether an inbound call is answered. Without it every inbound call is declined. */
  decideInbound?: DecideInbound;
  /** Whether this process can take another call; absent: always. */
  hasCapacity?(): boolean;
  /** For tests. */
  resolver?: Resolver;
};

export type DialResult =
  | { outcome: 'placed'; provider_call_id: string }
  /** Nothing was sent; retry later. */
  | { outcome: 'busy'; retry_after_seconds: number; detail: string }
  | { outcome: 'refused'; code: string; detail: string };

type TrunkCall = SipCall & Partial<PlacedCall>;

type Trunk = {
  options: SipTrunkOptions;
  deps: SipTrunkDeps;
  wheel: RtpWheel;
  ports: RtpPorts;
  hops: ReturnType<typeof nextHops>;
  transport: SipTransport;
  calls: Map<string, TrunkCall>;
  /** Calls that we gave up before the first response of the trunk. */
  canceled: Map<string, TrunkCall>;
  /** Calls that are being placed or decided about. */
  starting: number;
  /** Networks that may call us, besides the trunk's own addresses. */
  trusted: BlockList;
  trunk_addresses: Set<string>;
  /** Null before the start. */
  running: {
    agent: UserAgent;
    call_deps: CallDeps;
    health: ReturnType<typeof trunkHealth>;
    registered: ReturnType<typeof registration> | null;
  } | null;
};

const busy = (detail: string): DialResult => ({ outcome: 'busy', retry_after_seconds: 5, detail });

/** Allows no characters that could add a header or an address to a SIP message. */
const dialable = /^\+?[0-9*#]{1,32}$/;
/** How long a stop waits for responses to our BYE and CANCEL. */
const goodbye_ms = 2000;

export function sipTrunk(options: SipTrunkOptions, deps: SipTrunkDeps) {
  const trunk = createTrunk(options, deps);
  const { calls, transport } = trunk;
  return {
    start: () => start(trunk),
    stop: () => stop(trunk),
    dial: (order: DialOrder, emit: (event: CallEvent) => void) => dial(trunk, order, emit),
    /** Settles when the call is answered, or with null when it ends before. */
    media: (provider_call_id: string): Promise<MediaSession | null> =>
      calls.get(provider_call_id)?.media ?? Promise.resolve(null),
    hangUp: (provider_call_id: string, reason: OurReason): 'ended' | 'already_ended' =>
      calls.get(provider_call_id)?.hangUp(reason) ? 'ended' : 'already_ended',
    /** A call exists only in the process that has its dialog; for other processes it has ended. */
    state: (provider_call_id: string): 'live' | 'ended' =>
      calls.get(provider_call_id)?.isLive() ? 'live' : 'ended',
    health: () =>
      trunk.running?.health.current() ?? {
        state: 'unknown' as const,
        detail: 'not started',
        round_trip_ms: null,
      },
    /** Null where nothing is to be registered. */
    registration: (): RegistrationState | null => trunk.running?.registered?.current() ?? null,
    checkHealth: async () => trunk.running?.health.check(),
    stats() {
      const { unreadable = 0, untrusted_dropped = 0 } = trunk.running?.agent.counts ?? {};
      return {
        calls: calls.size,
        sip_sent: transport.counts.sent,
        sip_repeated: transport.counts.repeated,
        sip_received: transport.counts.received,
        sip_unreadable: transport.counts.unreadable + unreadable,
        sip_untrusted_dropped: transport.counts.untrusted_dropped + untrusted_dropped,
      };
    },
    rtpStats: (provider_call_id: string) => calls.get(provider_call_id)?.rtpStats() ?? null,
  };
}
export type SipTrunk = ReturnType<typeof sipTrunk>;

function createTrunk(options: SipTrunkOptions, deps: SipTrunkDeps): Trunk {
  const hops = nextHops({
    transport: options.transport,
    resolver: deps.resolver ?? systemResolver(isIPv6(options.listen_host) ? 6 : 4),
  });
  const transport = sipTransport({
    hops,
    timing: { t1_ms: options.t1_ms, t2_ms: 8 * options.t1_ms },
    link: (onText) =>
      options.transport === 'udp'
        ? datagrams({ ...options, onText })
        : connections({ ...options, onText, tls: options.transport === 'tls' }),
    onMessage: (text, from) => trunk.running?.agent.receive(text, from),
  });
  const trusted = new BlockList();
  for (const { address, prefix } of options.trusted_sources) {
    trusted.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  const trunk: Trunk = {
    options,
    deps,
    wheel: rtpWheel(),
    ports: rtpPorts({ host: options.listen_host, range: options.rtp_ports }),
    hops,
    transport,
    calls: new Map(),
    canceled: new Map(),
    starting: 0,
    trusted,
    trunk_addresses: new Set(),
    running: null,
  };
  return trunk;
}

/** Listens, and finds out our own address. The trunk need not be reachable yet. */
async function start(trunk: Trunk): Promise<{ port: number }> {
  const { options, transport, wheel } = trunk;
  const { log } = trunk.deps;
  // Loads SIP.js, which a service without a trunk does not need.
  const { userAgent } = await import('./user-agent.ts');
  const port = await transport.listen();
  const addresses = await updateTrunkAddresses(trunk).catch((error: Error) => {
    log.warn({ error: error.message }, 'SIP trunk has no address yet');
    return [];
  });
  const public_host = options.public_address ?? (await addressTowards(addresses[0], options.listen_host));
  const media_address = isIP(public_host) === 0 ? (await lookup(public_host)).address : public_host;
  const agent = userAgent({
    transport,
    t1_ms: options.t1_ms,
    public_host,
    public_port: port,
    from_domain: options.from_domain ?? options.trunk.host,
    trunk: options.trunk,
    registrar: registrarOf(options),
    credentials: options.credentials,
    wantsCalls: () => wantsCalls(trunk),
    isTrusted: (address) => isTrusted(trunk, address),
    onProvisional: (call_id, status) =>
      (trunk.calls.get(call_id) ?? trunk.canceled.get(call_id))?.provisional?.(status),
    onInvite: (request, called) => receiveInvite(trunk, request, called),
  });
  const { rtp_timeout_ms: inactivity_timeout_ms, session_limits, srtp } = options;
  const call_deps = { agent, wheel, media_address, inactivity_timeout_ms, session_limits, srtp };
  raisePriority((detail) => log.info({ detail }, 'real-time priority for media was refused'));
  const health = watchHealth(trunk, agent);
  const registered = watchRegistration(trunk, agent);
  trunk.running = { agent, call_deps, health, registered };
  if (options.keep_alive_ms > 0) health.start();
  registered?.start();
  return { port };
}

const watchHealth = (trunk: Trunk, agent: UserAgent) =>
  trunkHealth({
    agent,
    interval_ms: trunk.options.keep_alive_ms,
    timeout_ms: 16 * trunk.options.t1_ms,
    onCheck: () => void updateTrunkAddresses(trunk).catch(() => {}),
    onChange(health) {
      if (health.state === 'up') trunk.deps.log.info(health, 'SIP trunk responds');
      else trunk.deps.log.warn(health, 'SIP trunk does not respond');
      trunk.hops.forget();
    },
  });

const registrarOf = ({ registration: registers, from_domain }: SipTrunkOptions) =>
  registers && { ...registers.registrar, domain: from_domain ?? registers.registrar.host };

function watchRegistration(trunk: Trunk, agent: UserAgent) {
  const { log } = trunk.deps;
  return (
    trunk.options.registration &&
    registration({
      ...trunk.options.registration,
      agent,
      onChange(state) {
        if (state.state === 'registered') log.info(state, 'registered at the SIP registrar');
        else log.warn(state, 'not registered at the SIP registrar');
      },
    })
  );
}

/** The trunk and the registrar call us from the addresses that we call. They are resolved again with every health check. */
async function updateTrunkAddresses(trunk: Trunk): Promise<Hop[]> {
  const { trunk: address, registration: registers } = trunk.options;
  const hops = await trunk.hops.all(address);
  const registrar = registers ? await trunk.hops.all(registers.registrar).catch(() => []) : [];
  trunk.trunk_addresses = new Set([...hops, ...registrar].map((hop) => hop.address));
  return hops;
}

const isTrusted = ({ trunk_addresses, trusted }: Trunk, address: string) =>
  trunk_addresses.has(address) || trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

async function dial(trunk: Trunk, order: DialOrder, emit: (event: CallEvent) => void): Promise<DialResult> {
  const { calls, running } = trunk;
  if (!running) return busy('the trunk has not been started');
  if (!dialable.test(order.to) || !dialable.test(order.from)) {
    return { outcome: 'refused', code: 'not_dialable', detail: 'not a number that can be dialed' };
  }
  if (isFull(trunk)) return busy('the maximum number of calls is reached');
  const started = starting(trunk);
  const socket = await trunk.ports.open().finally(started);
  if (!socket) return busy('no RTP port is free');
  let id = '';
  const call = outboundCall(running.call_deps, order, socket, (event) => {
    if ('end_reason' in event) {
      if (calls.get(id)?.awaitsResponse?.()) awaitLateResponse(trunk, id);
      calls.delete(id);
    }
    emit(event);
  });
  id = call.id;
  if (call.isLive()) calls.set(call.id, call);
  return { outcome: 'placed', provider_call_id: call.id };
}

/** Until the INVITE times out (RFC 3261 timer B): a first response that comes late is followed by CANCEL. */
function awaitLateResponse({ calls, canceled, options }: Trunk, id: string): void {
  canceled.set(id, calls.get(id)!);
  setTimeout(() => canceled.delete(id), 64 * options.t1_ms).unref();
}

const isFull = ({ calls, starting, options }: Trunk): boolean => calls.size + starting >= options.max_calls;

const wantsCalls = (trunk: Trunk): boolean => !isFull(trunk) && (trunk.deps.hasCapacity?.() ?? true);

/** Counts a call that is not in `calls` yet, so that calls which start at the same moment do not exceed the maximum. */
function starting(trunk: Trunk): () => void {
  let is_starting = true;
  trunk.starting++;
  return () => {
    if (is_starting) trunk.starting--;
    is_starting = false;
  };
}

function receiveInvite(trunk: Trunk, request: IncomingInviteRequest, called: string): void {
  const { calls } = trunk;
  const { decideInbound, log } = trunk.deps;
  // 482: the same call reached us a second time on another path (RFC 3261 section 8.2.2.2).
  if (calls.has(request.message.callId)) return void request.reject({ statusCode: 482 });
  if (!decideInbound) return void request.reject({ statusCode: 603 });
  if (isFull(trunk)) return void request.reject(no_capacity);
  const started = starting(trunk);
  let missed = () => {};
  const decide: DecideInbound = async (offer) => {
    const decision = await decideInbound(offer);
    if (!decision.answer) return decision;
    missed = decision.missed;
    return {
      ...decision,
      emit(event) {
        if ('end_reason' in event) calls.delete(offer.provider_call_id);
        decision.emit(event);
      },
      accepted(call) {
        calls.set(call.id, call);
        started();
        decision.accepted(call);
      },
    };
  };
  inboundCall({ ...trunk.running!.call_deps, ports: trunk.ports }, request, called, decide)
    .then((call) => call ?? missed())
    .catch((error: Error) => {
      missed();
      log.warn({ error: error.message }, 'inbound call failed');
    })
    .finally(started);
}

/** Ends all calls, waits a short time for the responses, also to a BYE of just before, and closes the transport. */
async function stop({ running, calls, wheel, transport }: Trunk): Promise<void> {
  running?.health.stop();
  running?.registered?.stop();
  for (const call of [...calls.values()]) call.hangUp('force_closed');
  if (running) {
    const deadline = performance.now() + goodbye_ms;
    while (!running.agent.hasClosedAll() && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  running?.agent.core.dispose();
  wheel.stop();
  await transport.close();
}

/** Our own address on the route to the trunk. Connecting a UDP socket sends nothing. */
async function addressTowards(hop: Hop | undefined, listen_host: string): Promise<string> {
  if (listen_host !== '0.0.0.0' && listen_host !== '::') return listen_host;
  if (!hop) return '127.0.0.1';
  const socket = createSocket(isIPv6(hop.address) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(hop.port, hop.address, resolve);
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}
