// Starts a trunk on loopback for tests, and places calls that record their events.
import type { CallEvent } from '../call.ts';
import type { SipTrunkOptions } from '../options.ts';
import { type SipTrunkDeps, sipTrunk } from '../trunk.ts';

/** A trunk on loopback without health checks. */
export const testTrunkOptions = (peer_port: number): SipTrunkOptions => ({
  trunk: { host: '127.0.0.1', port: peer_port },
  transport: 'udp',
  credentials: null,
  registration: null,
  from_domain: null,
  public_address: null,
  listen_host: '127.0.0.1',
  listen_port: 0,
  srtp: 'off',
  rtp_ports: null,
  trusted_sources: [],
  tls_files: null,
  tls_ca: null,
  numbers: [],
  max_calls: 100,
  rtp_timeout_ms: 30_000,
  keep_alive_ms: 0,
  t1_ms: 500,
  session_limits: { expires_s: 1800, min_s: 90 },
});

export async function startTrunk(
  options: Partial<SipTrunkOptions> & { peer_port: number; transport?: 'udp' | 'tcp' | 'tls' },
  deps: Partial<SipTrunkDeps> = {},
) {
  const { peer_port, ...rest } = options;
  const trunk = sipTrunk(
    { ...testTrunkOptions(peer_port), ...rest },
    { log: { info() {}, warn() {} }, ...deps },
  );
  const { port } = await trunk.start();

  return {
    ...trunk,
    port,

    /** Dials and collects the events; `reached` settles when an event with this trigger, or an end, has come. */
    async call(
      order: { to?: string; from?: string; ring_timeout_ms?: number; max_duration_ms?: number } = {},
    ) {
      const events: CallEvent[] = [];
      const waiting: { trigger: string; settle(): void }[] = [];
      const placed = await trunk.dial(
        {
          to: '+15005550006',
          from: '+15005550001',
          ring_timeout_ms: 20_000,
          max_duration_ms: 60_000,
          ...order,
        },
        (event) => {
          events.push(event);
          for (const { settle } of waiting.filter(
            ({ trigger }) => trigger === event.trigger || 'end_reason' in event,
          )) {
            settle();
          }
        },
      );
      if (placed.outcome !== 'placed') throw new Error(placed.detail);
      const id = placed.provider_call_id;
      const happened = (trigger: string) =>
        events.some((event) => event.trigger === trigger || 'end_reason' in event);
      const reached = async (trigger: string) => {
        if (!happened(trigger)) await new Promise<void>((settle) => waiting.push({ trigger, settle }));
      };
      return {
        id,
        events,
        history: () => events.map(({ trigger }) => trigger).join(' > '),
        reached,
        ended: async () => {
          await reached('the end');
          const last = events.at(-1)!;
          if (!('end_reason' in last)) throw new Error(`still ${last.trigger}`);
          return last;
        },
        media: () => trunk.media(id),
        hangUp: (reason: Parameters<typeof trunk.hangUp>[1]) => trunk.hangUp(id, reason),
      };
    },
  };
}
