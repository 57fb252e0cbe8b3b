// Delivers the native events of LiveKit's client library straight to the room or stream that they belong to. The library itself
// calls every open room, with a lock, for every audio frame of every call; that cost grows with the square of the calls.
import type { FfiEvent } from '@livekit/rtc-ffi-bindings';

/** The library's one source of events. It is internal, so every part is checked before it is replaced. */
export type FfiClient = {
  emit(name: string, event: FfiEvent): boolean;
  off(name: string, listener: unknown): unknown;
  request<T>(request: object): T;
};

type RoomHandler = (event: FfiEvent) => void;
type AudioEvent = Extract<FfiEvent['message'], { case: 'audioStreamEvent' }>['value']['message'];

export type RtcRoutes = {
  client: FfiClient;
  rooms: Map<bigint, RoomHandler>;
  streams: Map<bigint, (event: AudioEvent) => void>;
  /** Frames that the library refused, for diagnosis. */
  failedCaptures(): number;
};

let installed: RtcRoutes | null = null;

/** Null where the library has changed; then calls use its own, slower way. */
export function rtcRoutes(): RtcRoutes | null {
  if (installed) return installed;
  const { _ffiClientInstance: client } = globalThis as { _ffiClientInstance?: Partial<FfiClient> };
  if (!client || ['emit', 'off', 'request'].some((name) => typeof client[name as 'emit'] !== 'function'))
    return null;
  installed = route(client as FfiClient);
  return installed;
}

function route(client: FfiClient): RtcRoutes {
  const rooms: RtcRoutes['rooms'] = new Map();
  const streams: RtcRoutes['streams'] = new Map();
  const emitToAll = client.emit.bind(client);
  let failed = 0;
  client.emit = (name, event) => {
    const { message } = event;
    switch (message.case) {
      case 'audioStreamEvent': {
        const receive = streams.get(message.value.streamHandle!);
        if (!receive) break;
        receive(message.value.message);
        return true;
      }
      case 'captureAudioFrame':
        if (message.value.error) failed++;
        return true;
      case 'roomEvent': {
        const receive = rooms.get(message.value.roomHandle!);
        if (!receive) break;
        receive(event);
        return true;
      }
      case 'logs':
        return true;
    }
    return emitToAll(name, event);
  };
  return { client, rooms, streams, failedCaptures: () => failed };
}
