// Builds the speech engines, the carriers and, in the sandbox, the simulated people that answer calls.
import type { SandboxPhoneCall } from '@parley/contract/sandbox-phone';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { guardCarriers } from '../features/admission/index.ts';
import { type SandboxLine, type Speech, sandboxPhones } from '../features/calls/index.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing/trace.ts';
import { addCarrierCallbacks, addMediaSockets } from '../providers/carrier/callback-routes.ts';
import type { CarrierEvent } from '../providers/carrier/carrier.ts';
import { carrierRegistry } from '../providers/carrier/registry.ts';
import { carrierReadiness, watchedSpeech } from './readiness.ts';
import { carriersOf, offlineSpeech, type ReplaceProviders } from './vendors.ts';

/** The path of PARLEY_MEDIA_URL, without a slash at its end. */
const mediaPath = ({ PARLEY_MEDIA_URL: media_url }: Config): string =>
  media_url ? new URL(media_url).pathname.replace(/\/$/, '') : '';

/** Time limit for ending calls before the media sockets close. */
const end_calls_ms = 5000;

export function buildPhones(
  config: Config,
  deps: {
    handleEvents(carrier: string, events: CarrierEvent[]): Promise<void>;
    /** Called when the state of the sandbox phone changes. */
    phoneChanged(call: SandboxPhoneCall): void;
    endCalls(cut: AbortSignal): Promise<void>;
    baseUrl(): string;
    clock: MovableClock;
    log: Log;
    tracing: Tracing | null;
    /** Replaces speech engines and their clock in tests. */
    speech: ((offline: Speech) => Speech) | undefined;
    /** Replaces carriers in tests. */
    replaceCarrier: ReplaceProviders['carrier'] | undefined;
  },
) {
  const offline = offlineSpeech();
  const { speech, problem: enginesProblem } = watchedSpeech(deps.speech?.(offline) ?? offline);
  const phones = sandboxPhones({ ...speech, service_clock: deps.clock, phoneChanged: deps.phoneChanged });
  const { carriers: known, sandbox } = carriersOf(config, { ...deps, phones, media_clock: speech.clock });
  const registry = carrierRegistry(
    deps.replaceCarrier ? known.map(deps.replaceCarrier) : known,
    config.carrier,
  );
  /** Features get guarded carriers, which call and text only with an admission. */
  const carriers = guardCarriers(registry, deps.tracing);
  const listeners = registry.all().flatMap(({ name, listener }) => (listener ? [{ name, listener }] : []));

  const sandbox_line: SandboxLine | null = sandbox?.voice
    ? { phone: phones.phone, play: phones.play, callIn: sandbox.voice.callIn }
    : null;

  return {
    speech,
    carriers,
    sandbox_line,
    /** Ringing sandbox phones: they follow the sandbox clock. */
    ringing: sandbox?.voice ? [sandbox.voice.ringing] : [],
    /** Only the process that runs calls has listeners; every other one cannot tell the state of a trunk. */
    readiness: carrierReadiness(carriers),
    enginesProblem,
    /** Where carriers call back and open media sockets. */
    addHttp(http: FastifyInstance) {
      addCarrierCallbacks(http, { ...deps, carriers });
      addMediaSockets(http, {
        ...deps,
        carriers,
        pcm_sockets: sandbox_line
          ? {
              '/v1/sandbox/phone/sound': (socket, query) =>
                phones.phone.sound(query.get('token') ?? '', socket),
            }
          : {},
        path_prefix: mediaPath(config),
        // Fastify aborts a close hook after ten seconds.
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
