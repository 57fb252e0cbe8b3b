// Phones: the speech engines, the carriers with their callbacks and media sockets, and the simulated people of the sandbox.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../../config/config.ts';
import type { Waiter } from '../../../platform/feature.ts';
import type { Platform } from '../../../platform/platform.ts';
import { addCarrierCallbacks, addMediaSockets } from '../../../providers/carrier/callback-routes.ts';
import type { CarrierEvent } from '../../../providers/carrier/carrier.ts';
import { forwardOffer } from '../../../providers/carrier/forward-offer.ts';
import { type MediaRelay, mediaRelay } from '../../../providers/carrier/media-relay.ts';
import type { SandboxPhones } from '../../../providers/carrier/sandbox-phones.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { GuardedCarriers } from '../../rules/admission/index.ts';
import { type CallFeature, type SandboxLine, type Speech, sandboxPhones } from '../calls/index.ts';
import { callReadiness, carrierReadiness, listenerReadiness, watchedSpeech } from './readiness.ts';

/** The path of PARLEY_MEDIA_URL, without a slash at its end. */
const mediaPath = ({ PARLEY_MEDIA_URL: media_url }: Config): string =>
  media_url ? new URL(media_url).pathname.replace(/\/$/, '') : '';

/** Time limit for ending calls before the media sockets close. */
const end_calls_ms = 5000;

/** The socket of a browser that is the sandbox phone. */
const soundSocket = (
  phone: ReturnType<typeof sandboxPhones>['phone'],
): Parameters<typeof addMediaSockets>[1]['pcm_sockets'] => ({
  '/v1/sandbox/phone/sound': (socket, query) => phone.sound(query.get('token') ?? '', socket),
});

type Closable = { close(): Promise<unknown> };

type PhoneNeeds = Pick<Platform, 'clock' | 'log' | 'baseUrl'> & {
  config: Config;
  /** Built after the carriers. */
  calls: Pick<
    CallFeature,
    | 'drain'
    | 'finish'
    | 'leaderOfToken'
    | 'phoneChanged'
    | 'processesFor'
    | 'runningCount'
    | 'runsOffered'
    | 'tryKeepPlace'
  >;
  handleEvents(carrier: string, events: CarrierEvent[]): Promise<void>;
  offline_speech: Speech & Record<'vad' | 'stt' | 'tts', Closable>;
  /** Replaces speech engines and their clock in tests. */
  replaceSpeech: ((offline: Speech) => Speech) | undefined;
  openCarriers(phones: { phones: SandboxPhones; relay: MediaRelay; media_clock: MediaClock }): {
    /** They call and text only with an admission. */
    carriers: GuardedCarriers;
    /** Null outside of the sandbox. */
    sandbox_voice: { ringing: Waiter; callIn: SandboxLine['callIn'] } | null;
  };
};

export function phoneFeature(needs: PhoneNeeds) {
  const { config, calls, offline_speech: offline } = needs;
  const { speech, problem: enginesProblem } = watchedSpeech(needs.replaceSpeech?.(offline) ?? offline);
  const phones = sandboxPhones({ ...speech, service_clock: needs.clock, phoneChanged: calls.phoneChanged });
  const relay = mediaRelay({ log: needs.log, locate: calls.leaderOfToken, clock: speech.clock });
  const { carriers, sandbox_voice } = needs.openCarriers({ phones, relay, media_clock: speech.clock });
  const listeners = carriers.all().flatMap(({ listener }) => listener ?? []);
  const sandbox_line: SandboxLine | null = sandbox_voice && {
    phone: phones.phone,
    play: phones.play,
    callIn: sandbox_voice.callIn,
  };
  const carrier_check = carrierReadiness(carriers.active);
  const { log, baseUrl, handleEvents } = needs;
  const { tryKeepPlace, runsOffered, processesFor } = calls;

  return {
    speech,
    carriers,
    carrier_check,
    sandbox_line,
    /** Ringing sandbox phones: they follow the sandbox clock. */
    ringing: sandbox_voice ? [sandbox_voice.ringing] : [],
    /** Only the process that runs calls has listeners; every other one cannot tell the state of a trunk. */
    readiness: [
      carrier_check,
      ...listenerReadiness(carriers),
      ...callReadiness(config, {
        enginesProblem,
        runningCount: calls.runningCount,
        isBehind: () => speech.stt.isBehind(),
      }),
    ],
    /** One after the other: the process has just started and has other work. */
    async load(): Promise<void> {
      for (const engine of [speech.vad, speech.tts, speech.stt]) await engine.ready();
    },
    /** Where carriers call back and open media sockets. */
    addHttp(http: FastifyInstance) {
      const forward = forwardOffer({ log, tryKeepPlace, runsOffered, processesFor });
      addCarrierCallbacks(http, { log, baseUrl, handleEvents, carriers, forward });
      addMediaSockets(http, {
        log,
        carriers,
        pcm_sockets: sandbox_line ? soundSocket(phones.phone) : {},
        path_prefix: mediaPath(config),
        // Fastify aborts a close hook after ten seconds.
        beforeClose: () => calls.drain(AbortSignal.timeout(end_calls_ms)),
      });
    },
    /** Resolves when the calls that this process runs or relays are over, or the signal aborts. */
    async finishCalls(cut: AbortSignal): Promise<void> {
      await calls.finish(cut);
      await relay.idle(cut);
    },
    async start() {
      for (const listener of listeners) await listener.start();
    },
    async stop() {
      await Promise.all(listeners.map((listener) => listener.stop()));
      await Promise.all([offline.vad.close(), offline.stt.close(), offline.tts.close()]);
    },
  };
}
export type PhoneFeature = ReturnType<typeof phoneFeature>;
