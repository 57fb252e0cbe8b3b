// LiveKit rooms through `@livekit/rtc-node`, an optional package of 30 MB that is loaded only when LiveKit is set up.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LocalAudioTrack, RemoteParticipant, Room } from '@livekit/rtc-node';
import type { Log } from '../../../platform/log.ts';
import { line_rate_hz } from '../../media/media-session.ts';
import type { JoinedRoom, RoomListener, RoomPort } from './room-port.ts';
import { audioOutput, type RtcLibrary, receiveAudio } from './rtc-audio.ts';
import { rtcRoutes } from './rtc-routes.ts';

export const install_hint =
  'LIVEKIT_URL is set, but the package @livekit/rtc-node is missing: npm install @livekit/rtc-node@1.1.0';

/** Never filled: we keep at most 60 ms in it. A capture above its size would stay pending. */
const queue_ms = 1000;
/** The library's keys of the telephone-event codes (RFC 4733 section 3.2); letters must be lower case. */
const digit_codes = '0123456789*#ABCD';

type RtcOptions = {
  log: Pick<Log, 'warn'>;
  /** False: the library delivers all events itself; for comparison. */
  is_routed?: boolean;
};

export function rtcNode(options: RtcOptions): RoomPort {
  let loading: Promise<RtcLibrary> | null = null;
  const load = () => (loading ??= loadLibrary(options));
  return {
    load: async () => void (await load()),
    join: async (where, listener) => joinRoom(await load(), where, listener),
  };
}

async function loadLibrary({ log, is_routed = true }: RtcOptions): Promise<RtcLibrary> {
  const require = createRequire(import.meta.url);
  let folder: string;
  try {
    folder = dirname(require.resolve('@livekit/rtc-node'));
  } catch {
    throw new Error(install_hint);
  }
  const rtc = require('@livekit/rtc-node') as RtcLibrary['rtc'];
  quietLogger(require, folder);
  const bindings = createRequire(join(folder, 'index.cjs'))(
    '@livekit/rtc-ffi-bindings',
  ) as RtcLibrary['bindings'];
  // Starts the native library; its event source exists only from then on.
  await new rtc.AudioSource(line_rate_hz, 1, queue_ms).close();
  const routes = is_routed ? rtcRoutes() : null;
  if (is_routed && !routes)
    log.warn({}, 'the LiveKit library has changed: audio events are delivered the slower way');
  return { rtc, bindings, routes };
}

/** The library logs to standard output in its own format. Its errors also reach us as events and rejections. */
function quietLogger(require: NodeJS.Require, folder: string): void {
  try {
    (require(join(folder, 'log.cjs')) as { log: { level: string } }).log.level = 'silent';
  } catch {
    // Another layout of the package: the messages are harmless.
  }
}

async function joinRoom(
  library: RtcLibrary,
  { url, token }: { url: string; token: string },
  listener: RoomListener,
): Promise<JoinedRoom> {
  const room = new library.rtc.Room();
  const stopAudio = listen(library, room, listener);
  const others = handlesOfOthers(library, room);
  await room.connect(url.replace(/^http/, 'ws'), token, { autoSubscribe: true, dynacast: false });
  const detach = attach(library, room);
  for (const participant of room.remoteParticipants.values())
    if (isPhone(library, participant)) listener.phone(participant.attributes, participant.identity);
  return joinedRoom(library, room, () => {
    stopAudio();
    detach();
    for (const handle of others) handle.dispose();
  });
}

/** Native objects of participants, also of those that have left, which the library does not know any more. */
function handlesOfOthers({ rtc: { RoomEvent } }: RtcLibrary, room: Room): ReadonlySet<Handle> {
  const handles = new Set<Handle>();
  room.on(RoomEvent.ParticipantConnected, (participant) => handles.add(participant.ffi_handle));
  room.on(RoomEvent.TrackPublished, (publication) => handles.add(publication.ffiHandle));
  room.on(RoomEvent.TrackSubscribed, (track, publication, participant) => {
    for (const handle of [track.ffi_handle, publication.ffiHandle, participant.ffi_handle])
      handles.add(handle);
  });
  return handles;
}

const isPhone = ({ rtc }: RtcLibrary, participant: RemoteParticipant) =>
  participant.kind === rtc.ParticipantKind.SIP;

/** Returns a function that stops the audio of the phone. */
function listen(library: RtcLibrary, room: Room, listener: RoomListener): () => void {
  const { rtc } = library;
  const { RoomEvent, DisconnectReason } = rtc;
  let stopAudio = () => {};
  const reasonOf = (reason: number | undefined) => DisconnectReason[reason ?? 0] ?? 'UNKNOWN_REASON';
  room.on(RoomEvent.ParticipantConnected, (participant) => {
    if (isPhone(library, participant)) listener.phone(participant.attributes, participant.identity);
  });
  room.on(RoomEvent.ParticipantAttributesChanged, (_, participant) => {
    if (participant !== room.localParticipant && isPhone(library, participant as RemoteParticipant))
      listener.phone(participant.attributes, participant.identity);
  });
  room.on(RoomEvent.ParticipantDisconnected, (participant) => {
    if (isPhone(library, participant)) listener.phoneLeft(reasonOf(participant.disconnectReason));
  });
  room.on(RoomEvent.ConnectionQualityChanged, (quality, participant) => {
    if (participant !== room.localParticipant && isPhone(library, participant as RemoteParticipant))
      listener.phoneLost(quality === rtc.ConnectionQuality.QUALITY_LOST);
  });
  // After a full reconnect the phone has a new track, and the old stream is silent.
  room.on(RoomEvent.TrackSubscribed, (track, _, participant) => {
    if (track.kind !== rtc.TrackKind.KIND_AUDIO || !isPhone(library, participant)) return;
    stopAudio();
    stopAudio = receiveAudio(library, track, { onFrame: listener.frame });
  });
  room.on(RoomEvent.DtmfReceived, (_, digit) => listener.digit(digit.toUpperCase()));
  room.on(RoomEvent.LocalTrackSubscribed, () => listener.subscribed());
  room.on(RoomEvent.Reconnecting, () => listener.connection('lost', 'reconnecting'));
  room.on(RoomEvent.Reconnected, () => listener.connection('restored', 'reconnected'));
  room.on(RoomEvent.Disconnected, (reason) => listener.connection('closed', reasonOf(reason)));
  return () => stopAudio();
}

/** Fields of a room that the library does not export. */
type RoomInternals = { ffiHandle?: { handle: bigint; dispose(): void }; onFfiEvent: (event: never) => void };

/**
 * Delivers the room's events only to the room. Returns a function that releases what the library keeps of a room that the server
 * closed: its listener and its native handle.
 */
function attach({ routes }: RtcLibrary, room: Room): () => void {
  const { ffiHandle, onFfiEvent } = room as unknown as RoomInternals;
  if (!routes || !ffiHandle) return () => {};
  const id = ffiHandle.handle;
  routes.rooms.set(id, onFfiEvent as (event: unknown) => void);
  return () => {
    if (!routes.rooms.delete(id)) return;
    routes.client.off('ffi_event', onFfiEvent);
    ffiHandle.dispose();
  };
}

type Handle = { dispose(): void };
type Owner = {
  ffi_handle?: Handle;
  trackPublications: Map<string, { ffiHandle?: Handle; track?: { ffi_handle?: Handle } }>;
};

/**
 * Releases native objects at once. Otherwise they live until the collector finds their small wrappers, which may take hundreds of
 * calls.
 */
function releaseHandles(room: Room): void {
  const owners = [room.localParticipant, ...room.remoteParticipants.values()] as unknown as (
    | Owner
    | undefined
  )[];
  for (const owner of owners) {
    if (!owner) continue;
    for (const { ffiHandle, track } of owner.trackPublications.values()) {
      track?.ffi_handle?.dispose();
      ffiHandle?.dispose();
    }
    owner.ffi_handle?.dispose();
  }
}

function joinedRoom(library: RtcLibrary, room: Room, release: () => void): JoinedRoom {
  const { rtc } = library;
  const source = new rtc.AudioSource(line_rate_hz, 1, queue_ms);
  const play = audioOutput(library, source);
  let track: LocalAudioTrack | null = null;
  let publication: { ffiHandle: Handle } | null = null;
  let is_left = false;
  return {
    async publish() {
      track = rtc.LocalAudioTrack.createAudioTrack('parley', source);
      const options = new rtc.TrackPublishOptions();
      options.source = rtc.TrackSource.SOURCE_MICROPHONE;
      // Silence is sent too: a phone without packets counts as a broken line.
      options.dtx = false;
      options.red = false;
      publication = await room.localParticipant!.publishTrack(track, options);
    },
    play(pcm) {
      if (!is_left) play(pcm);
    },
    clear() {
      if (!is_left) source.clearQueue();
    },
    async sendDigit(digit) {
      await room.localParticipant?.publishDtmf(digit_codes.indexOf(digit), digit.toLowerCase());
    },
    async leave() {
      if (is_left) return;
      is_left = true;
      await room.disconnect().catch(() => {});
      release();
      await (track ? track.close() : source.close()).catch(() => {});
      // The library forgets it when it disconnects.
      publication?.ffiHandle.dispose();
      releaseHandles(room);
    },
  };
}
