// A SIP trunk as a carrier: places and takes calls, carries their audio, and knows whether the trunk is there.
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { MediaSession } from '../../media/media-session.ts';
import type { CallDeps, CallEvent, SipCall } from './call.ts';
import { trunkHealth } from './health.ts';
import { type DecideInbound, inboundCall } from './inbound-call.ts';
import type { SipTrunkOptions } from './options.ts';
import { type DialOrder, outboundCall } from './outbound-call.ts';
import { rtpPorts } from './rtp/ports.ts';
import { askForPriority } from './rtp/priority.ts';
import { rtpWheel } from './rtp/session.ts';
import type { OurReason } from './translate.ts';
import { connections } from './transport/connections.ts';
import { datagrams } from './transport/datagrams.ts';
import { type Hop, nextHops, type Resolver, systemResolver } from './transport/next-hop.ts';
import { sipTransport } from './transport/transport.ts';
import { type UserAgent, userAgent } from './user-agent.ts';

export type SipTrunkDeps = {
  log: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
  };
  /** Whether a call to us is wanted. Without it every one is declined. */
  decideInbound?: DecideInbound;
  /** For tests. */
  resolver?: Resolver;
};

export type DialResult =
  | { outcome: 'placed'; provider_call_id: string }
  /** Nothing was sent: ask again later. */
  | { outcome: 'busy'; retry_after_seconds: number; detail: string }
  | { outcome: 'refused'; code: string; detail: string };

const busy = (detail: string): DialResult => ({ outcome: 'busy', retry_after_seconds: 5, detail });

/** Neither a header nor an address can be smuggled in by a number. */
const dialable = /^\+?[0-9*#]{1,32}$/;
const farewell_ms = 2000;

export function sipTrunk(options: SipTrunkOptions, deps: SipTrunkDeps) {
  const { log, decideInbound } = deps;
  const clock_wheel = rtpWheel();
  const ports = rtpPorts({ host: options.listen_host, range: options.rtp_ports });
  const calls = new Map<string, SipCall & { provisional?: (status: number) => void }>();
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
    onMessage: (text, from) => agent?.receive(text, from),
  });

  let agent: UserAgent | null = null;
  let call_deps: CallDeps | null = null;
  let health: ReturnType<typeof trunkHealth> | null = null;
  let trunk_addresses = new Set<string>();
  const trusted = new BlockList();
  for (const { address, prefix } of options.trusted_sources) {
    trusted.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  const isTrusted = (address: string) =>
    trunk_addresses.has(address) || trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

  /** The trunk's calls come from where ours go to; the list is renewed with every question for its health. */
  async function learnTrunkAddresses(): Promise<Hop[]> {
    const found = await hops.all(options.trunk);
    trunk_addresses = new Set(found.map(({ address }) => address));
    return found;
  }

  const forgetting = (id: () => string, emit: (event: CallEvent) => void) => (event: CallEvent) => {
    if ('end_reason' in event) calls.delete(id());
    emit(event);
  };

  return {
    /** Listens, and learns who we are on this network. The trunk need not be there yet. */
    async start(): Promise<{ port: number }> {
      const port = await transport.listen();
      const found = await learnTrunkAddresses().catch((error: Error) => {
        log.warn({ error: error.message }, 'the SIP trunk has no address yet');
        return [];
      });
      const public_host = options.public_address ?? (await addressTowards(found[0], options.listen_host));
      const media_address = isIP(public_host) === 0 ? (await lookup(public_host)).address : public_host;
      const own_agent = userAgent({
        transport,
        t1_ms: options.t1_ms,
        public_host,
        public_port: port,
        from_domain: options.from_domain ?? options.trunk.host,
        trunk: options.trunk,
        credentials: options.credentials,
        isTrusted,
        onProvisional: (call_id, status) => calls.get(call_id)?.provisional?.(status),
        onInvite(request, called) {
          if (calls.has(request.message.callId)) request.reject({ statusCode: 482 });
          else if (!decideInbound || calls.size >= options.most_calls) request.reject({ statusCode: 603 });
          else {
            let missed = () => {};
            void inboundCall({ ...call_deps!, ports }, request, called, async (offer) => {
              const decision = await decideInbound(offer);
              if (!decision.answer) return decision;
              missed = decision.missed;
              return {
                ...decision,
                emit: forgetting(() => offer.provider_call_id, decision.emit),
                taken(call) {
                  calls.set(call.id, call);
                  decision.taken(call);
                },
              };
            })
              .then((call) => call ?? missed())
              .catch((error: Error) => {
                missed();
                log.warn({ error: error.message }, 'an inbound call could not be taken');
              });
          }
        },
      });
      agent = own_agent;
      call_deps = {
        agent: own_agent,
        wheel: clock_wheel,
        media_address,
        inactivity_timeout_ms: options.rtp_timeout_ms,
      };
      askForPriority((detail) => log.info({ detail }, 'real-time priority for media was refused'));
      health = trunkHealth({
        agent: own_agent,
        interval_ms: options.keep_alive_ms,
        patience_ms: 16 * options.t1_ms,
        onAsk: () => void learnTrunkAddresses().catch(() => {}),
        onChange(now) {
          if (now.state === 'up') log.info(now, 'the SIP trunk answers');
          else log.warn(now, 'the SIP trunk does not answer');
          hops.forget();
        },
      });
      if (options.keep_alive_ms > 0) health.start();
      return { port };
    },

    async dial(order: DialOrder, emit: (event: CallEvent) => void): Promise<DialResult> {
      if (!call_deps) return busy('the trunk has not been started');
      if (!dialable.test(order.to) || !dialable.test(order.from)) {
        return { outcome: 'refused', code: 'not_dialable', detail: 'not a number that can be dialled' };
      }
      if (calls.size >= options.most_calls) return busy('as many calls as allowed');
      const socket = await ports.open();
      if (!socket) return busy('no RTP port is free');
      let id = '';
      const call = outboundCall(
        call_deps,
        order,
        socket,
        forgetting(() => id, emit),
      );
      id = call.id;
      if (call.isLive()) calls.set(call.id, call);
      return { outcome: 'placed', provider_call_id: call.id };
    },

    /** Settles when the call is answered, with null when it ends before. */
    media: (provider_call_id: string): Promise<MediaSession | null> =>
      calls.get(provider_call_id)?.media ?? Promise.resolve(null),

    hangUp: (provider_call_id: string, reason: OurReason): 'ended' | 'already_ended' =>
      calls.get(provider_call_id)?.hangUp(reason) ? 'ended' : 'already_ended',

    /** A call lives in the process that holds its dialog; to any other it has ended. */
    state: (provider_call_id: string): 'live' | 'ended' =>
      calls.get(provider_call_id)?.isLive() ? 'live' : 'ended',

    health: () =>
      health?.current() ?? { state: 'unknown' as const, detail: 'not started', round_trip_ms: null },
    checkHealth: async () => health?.check(),

    stats: () => ({
      calls: calls.size,
      sip_sent: transport.counts.sent,
      sip_repeated: transport.counts.repeated,
      sip_received: transport.counts.received,
      sip_unreadable: transport.counts.unreadable + (agent?.counts.unreadable ?? 0),
      sip_strangers_dropped: transport.counts.strangers_dropped + (agent?.counts.strangers_dropped ?? 0),
    }),
    rtpStats: (provider_call_id: string) => calls.get(provider_call_id)?.rtpStats() ?? null,

    /** Ends what is going on, gives the farewells a moment to arrive, and closes. */
    async stop(): Promise<void> {
      health?.stop();
      const had_calls = calls.size > 0;
      for (const call of [...calls.values()]) call.hangUp('force_closed');
      if (had_calls) await untilQuiet(() => agent!.hasSaidGoodbye());
      agent?.core.dispose();
      clock_wheel.stop();
      await transport.close();
    },
  };
}
export type SipTrunk = ReturnType<typeof sipTrunk>;

async function untilQuiet(quiet: () => boolean): Promise<void> {
  const until = performance.now() + farewell_ms;
  while (!quiet() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The address this machine would be seen with; connecting a datagram socket sends nothing. */
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
