// Puts together what calls need: ears and voices, the carriers, and in the sandbox the people at the other end.
import type { SandboxPhoneCall } from '@parley/contract/sandbox-phone';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { guardCarriers } from '../features/admission/index.ts';
import { type SandboxLine, type Speech, sandboxPhones } from '../features/calls/index.ts';
import type { Readiness } from '../features/status/index.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { addCarrierCallbacks, addMediaSockets } from '../providers/carrier/callback-routes.ts';
import type { CarrierEvent } from '../providers/carrier/carrier.ts';
import { carrierRegistry } from '../providers/carrier/registry.ts';
import { carriersOf, offlineSpeech } from './vendors.ts';

/** For calls that a stop has not ended before the sockets that carry their sound are closed. */
const end_calls_ms = 5000;

export function buildPhones(
  config: Config,
  deps: {
    handleEvents(carrier: string, events: CarrierEvent[]): Promise<void>;
    /** Something happened at the sandbox's phone. */
    phoneChanged(call: SandboxPhoneCall): void;
    endCalls(cut: AbortSignal): Promise<void>;
    baseUrl(): string;
    clock: MovableClock;
    log: Log;
    /** Other ears, voices or time than those of this machine, for tests. */
    speech: ((offline: Speech) => Speech) | undefined;
  },
) {
  const offline = offlineSpeech();
  const speech = deps.speech?.(offline) ?? offline;
  const phones = sandboxPhones({ ...speech, service_clock: deps.clock, phoneChanged: deps.phoneChanged });
  const { carriers: known, sandbox } = carriersOf(config, { ...deps, phones, media_clock: speech.clock });
  const registry = carrierRegistry(known, config.carrier);
  /** What features get: nobody is called or texted without admission. */
  const carriers = guardCarriers(registry);
  const listeners = registry.all().flatMap(({ name, listener }) => (listener ? [{ name, listener }] : []));

  const sandbox_line: SandboxLine | null = sandbox?.voice
    ? { phone: phones.phone, play: phones.play, callIn: sandbox.voice.callIn }
    : null;

  return {
    speech,
    carriers,
    sandbox_line,
    /** Phones of the sandbox that ring: whoever moves the clock moves them. */
    ringing: sandbox?.voice ? [sandbox.voice.ringing] : [],
    /** Only the process that runs calls has listeners; every other one cannot tell the state of a trunk. */
    readiness: listeners.map(
      ({ name, listener }): Readiness => ({
        name,
        async check() {
          const trouble = listener.trouble();
          if (trouble !== null) throw new Error(trouble);
        },
      }),
    ),
    /** Where carriers call back and open media sockets. */
    addHttp(http: FastifyInstance) {
      addCarrierCallbacks(http, { ...deps, carriers });
      addMediaSockets(http, {
        ...deps,
        carriers,
        plain: sandbox_line
          ? {
              '/v1/sandbox/phone/sound': (socket, query) =>
                phones.phone.sound(query.get('token') ?? '', socket),
            }
          : {},
        // Fastify fails a close whose hook takes longer than ten seconds.
        beforeClose: () => deps.endCalls(AbortSignal.timeout(end_calls_ms)),
      });
    },
    async start() {
      for (const { listener } of listeners) await listener.start();
    },
    async stop() {
      await Promise.all(listeners.map(({ listener }) => listener.stop()));
      await Promise.all([offline.vad.close(), offline.stt.close(), offline.tts.close()]);
    },
  };
}
