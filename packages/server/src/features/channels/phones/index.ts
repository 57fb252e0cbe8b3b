// Builds the speech engines, the carriers and, in the sandbox, the simulated people that answer calls.
import type { SandboxPhoneCall } from '@parley/contract/operations/sandbox/sandbox-phone';
import type { FastifyInstance } from 'fastify';
import { carriersOf, offlineSpeech, type ReplaceProviders } from '../../../app/vendors.ts';
import type { Config } from '../../../config/config.ts';
import type { MovableClock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import { addCarrierCallbacks, addMediaSockets } from '../../../providers/carrier/callback-routes.ts';
import type { CarrierEvent } from '../../../providers/carrier/carrier.ts';
import { forwardOffer, type OfferDeps } from '../../../providers/carrier/forward-offer.ts';
import type { RoomPort } from '../../../providers/carrier/livekit/room-port.ts';
import { mediaRelay, type RelayDeps } from '../../../providers/carrier/media-relay.ts';
import { carrierRegistry } from '../../../providers/carrier/registry.ts';
import { guardCarriers } from '../../rules/admission/index.ts';
import { type SandboxLine, type Speech, sandboxPhones } from '../calls/index.ts';
import { carrierReadiness, watchedSpeech } from './readiness.ts';

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

type PhoneDeps = {
  db: Database;
  handleEvents(carrier: string, events: CarrierEvent[]): Promise<void>;
  /** Called when the state of the sandbox phone changes. */
  phoneChanged(call: SandboxPhoneCall): void;
  endCalls(cut: AbortSignal): Promise<void>;
  /** Takes no more calls; resolves when those of this process are over, or the signal aborts. */
  finishCalls(cut: AbortSignal): Promise<void>;
  hasCapacity(): boolean;
  tryKeepPlace: OfferDeps['tryKeepPlace'];
  runsOffered: OfferDeps['runsOffered'];
  /** The addresses of other processes that may take this inbound call. */
  processesFor: OfferDeps['processesFor'];
  expectMedia: Parameters<typeof carriersOf>[1]['expectMedia'];
  leaderOfToken: RelayDeps['locate'];
  baseUrl(): string;
  clock: MovableClock;
  log: Log;
  tracing: Tracing | null;
  /** Replaces speech engines and their clock in tests. */
  speech: ((offline: Speech) => Speech) | undefined;
  /** How many more calls this process can run now. */
  freeCalls(): number;
  /** Keeps a place for an inbound call that this process has promised to take. Returns how to give it back. */
  keepPlace(): () => void;
  /** Replaces the client library of LiveKit in tests. */
  livekit_rooms: RoomPort | undefined;
  /** Replaces carriers in tests. */
  replaceCarrier: ReplaceProviders['carrier'] | undefined;
};

export function buildPhones(config: Config, deps: PhoneDeps) {
  const offline = offlineSpeech();
  const { speech, problem: enginesProblem } = watchedSpeech(deps.speech?.(offline) ?? offline);
  const phones = sandboxPhones({ ...speech, service_clock: deps.clock, phoneChanged: deps.phoneChanged });
  const relay = mediaRelay({ ...deps, locate: deps.leaderOfToken, clock: speech.clock });
  const { carriers: known, sandbox } = carriersOf(config, {
    ...deps,
    phones,
    relay,
    media_clock: speech.clock,
  });
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
    /** One after the other: the process has just started and has other work. */
    async load(): Promise<void> {
      for (const engine of [speech.vad, speech.tts, speech.stt]) await engine.ready();
    },
    /** Where carriers call back and open media sockets. */
    addHttp(http: FastifyInstance) {
      addCarrierCallbacks(http, { ...deps, carriers, forward: forwardOffer(deps) });
      addMediaSockets(http, {
        ...deps,
        carriers,
        pcm_sockets: sandbox_line ? soundSocket(phones.phone) : {},
        path_prefix: mediaPath(config),
        // Fastify aborts a close hook after ten seconds.
        beforeClose: () => deps.endCalls(AbortSignal.timeout(end_calls_ms)),
      });
    },
    relayedCount: relay.count,
    /** Resolves when the calls that this process runs or relays are over, or the signal aborts. */
    async finishCalls(cut: AbortSignal): Promise<void> {
      await deps.finishCalls(cut);
      await relay.idle(cut);
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
