// Audio of one room at 8 kHz: receives frames of the phone's track, and hands our frames to the library.
import type { AudioSource, RemoteTrack } from '@livekit/rtc-node';
import { frame_ms, frame_samples, line_rate_hz } from '../../media/media-session.ts';
import type { RtcRoutes } from './rtc-routes.ts';

type Rtc = typeof import('@livekit/rtc-node');
type Bindings = typeof import('@livekit/rtc-ffi-bindings');

export type RtcLibrary = {
  rtc: Rtc;
  bindings: Bindings;
  /** Null: the library delivers all events itself. */
  routes: RtcRoutes | null;
};

type AudioInput = { onFrame(pcm: Int16Array): void };

/** Returns a function that stops the stream. */
export function receiveAudio(library: RtcLibrary, track: RemoteTrack, input: AudioInput): () => void {
  return library.routes
    ? receiveRouted({ ...library, routes: library.routes }, track, input)
    : receivePlain(library, track, input);
}

function receiveRouted(
  { bindings, routes }: RtcLibrary & { routes: RtcRoutes },
  track: RemoteTrack,
  { onFrame }: AudioInput,
): () => void {
  const { stream } = routes.client.request<{ stream: { handle: { id: bigint } } }>({
    message: {
      case: 'newAudioStream',
      value: {
        type: bindings.AudioStreamType.AUDIO_STREAM_NATIVE,
        trackHandle: track.ffi_handle.handle,
        sampleRate: line_rate_hz,
        numChannels: 1,
        frameSizeMs: frame_ms,
      },
    },
  });
  const handle = new bindings.FfiHandle(stream.handle.id);
  const id = stream.handle.id;
  routes.streams.set(id, (event) => {
    if (event.case !== 'frameReceived') return;
    const { info, handle: buffer } = event.value.frame!;
    const bytes = bindings.livekitCopyBuffer(info!.dataPtr!, 2 * info!.samplesPerChannel!);
    new bindings.FfiHandle(buffer!.id!).dispose();
    onFrame(new Int16Array(bytes.buffer, bytes.byteOffset, info!.samplesPerChannel));
  });
  return () => {
    if (routes.streams.delete(id)) handle.dispose();
  };
}

function receivePlain({ rtc }: RtcLibrary, track: RemoteTrack, { onFrame }: AudioInput): () => void {
  const stream = new rtc.AudioStream(track, {
    sampleRate: line_rate_hz,
    numChannels: 1,
    frameSizeMs: frame_ms,
  });
  const reader = stream.getReader();
  const read = async () => {
    for (;;) {
      const { value } = await reader.read();
      if (!value) return;
      onFrame(value.data);
    }
  };
  read().catch(() => {});
  return () => void reader.cancel().catch(() => {});
}

/** Hands frames to the library. It reads the memory during the request, so all frames of a call use the same buffer. */
export function audioOutput(library: RtcLibrary, source: AudioSource): (pcm: Int16Array) => void {
  const { rtc, bindings, routes } = library;
  if (!routes) {
    return (pcm) => {
      // The library ignores the offset of a view, so the frame needs a buffer of its own.
      const frame = new rtc.AudioFrame(pcm.slice(), line_rate_hz, 1, frame_samples);
      source.captureFrame(frame).catch(() => {});
    };
  }
  const frame = new Int16Array(frame_samples);
  const request = {
    message: {
      case: 'captureAudioFrame',
      value: {
        sourceHandle: source.ffiHandle.handle,
        buffer: {
          dataPtr: bindings.livekitRetrievePtr(new Uint8Array(frame.buffer)),
          sampleRate: line_rate_hz,
          numChannels: 1,
          samplesPerChannel: frame_samples,
        },
      },
    },
  };
  return (pcm) => {
    frame.set(pcm);
    routes.client.request(request);
  };
}
