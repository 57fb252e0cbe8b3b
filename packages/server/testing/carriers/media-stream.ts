// A carrier's end of a media stream, frame by frame: plays what it is sent in real time, returns marks, obeys clear.
import WebSocket from 'ws';
import { keys, pitchesOf } from '../../src/protocols/audio/dtmf-tones.ts';
import { g711 } from '../../src/protocols/audio/g711.ts';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { frame_ms, frame_samples } from '../../src/providers/media/media-session.ts';

type Json = Record<string, unknown>;

/** How one carrier dresses the messages that all of them send. */
export type StreamDress = {
  connected: Json;
  start: Json;
  media(payload: string, count: number, timestamp_ms: number): Json;
  dtmf(digit: string): Json;
  mark(name: string): Json;
  stop: Json;
  /** What makes a message of ours not one of this carrier's. */
  complaint(message: Json): string | null;
};

export type FarStream = {
  say(pcm: Int16Array): void;
  press(digit: string): void;
  /** One sample list a frame, silence included. */
  heard(): Int16Array[];
  levels(): number[];
  /** By the tones in what was heard. */
  digits(): string;
  hangUp(): void;
  /** How many clears came, and how much they threw away. */
  clears: { count: number; dropped_ms: number };
  closed: Promise<{ code: number; reason: string }>;
  /** Any text at all. */
  raw(text: string): void;
  /** The network breaks. */
  breakOff(): void;
};

export async function openFarStream(options: {
  url: string;
  clock: MediaClock;
  dress: StreamDress;
}): Promise<FarStream> {
  const { clock, dress } = options;
  const codec = g711('PCMU');
  const socket = new WebSocket(options.url);
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  socket.on('error', () => {});
  const heard: Int16Array[] = [];
  const clears = { count: 0, dropped_ms: 0 };
  /** What waits to be played: bytes, and the marks between them. */
  let playing: (number | { mark: string })[] = [];
  let saying: Int16Array[] = [];
  let sent = 0;

  const send = (message: Json) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.on('message', (bytes) => {
    const message = JSON.parse(String(bytes)) as Json & {
      media?: { payload: string };
      mark?: { name: string };
    };
    const complaint = dress.complaint(message);
    if (complaint) socket.close(1002, complaint);
    else if (message.event === 'media') playing.push(...Buffer.from(message.media!.payload, 'base64'));
    else if (message.event === 'mark') playing.push({ mark: message.mark!.name });
    else if (message.event === 'clear') {
      clears.count++;
      const dropped = playing;
      playing = [];
      clears.dropped_ms += dropped.filter((item) => typeof item === 'number').length / 8;
      for (const item of dropped) if (typeof item === 'object') send(dress.mark(item.mark));
    }
  });
  const returnMarks = () => {
    while (typeof playing[0] === 'object') send(dress.mark((playing.shift() as { mark: string }).mark));
  };
  const play = () => {
    const frame = new Int16Array(frame_samples);
    for (let filled = 0; filled < frame_samples; ) {
      returnMarks();
      const byte = playing.shift();
      if (byte === undefined) break;
      frame[filled++] = codec.decode_table[byte as number]!;
    }
    returnMarks();
    heard.push(frame);
  };
  const speak = () => {
    const frame = saying.shift() ?? new Int16Array(frame_samples);
    const bytes = Buffer.alloc(frame_samples);
    codec.encodeInto(bytes, 0, frame, 0, frame.length);
    send(dress.media(bytes.toString('base64'), sent + 1, sent * frame_ms));
    sent++;
  };

  const opened = await Promise.race([
    new Promise<true>((resolve) => socket.on('open', () => resolve(true))),
    closed.then(() => false as const),
  ]);
  if (opened) {
    send(dress.connected);
    send(dress.start);
  }
  const stop = clock.every(frame_ms, () => {
    play();
    speak();
  });
  void closed.then(stop);

  return {
    say(pcm) {
      for (let at = 0; at < pcm.length; at += frame_samples) {
        const frame = new Int16Array(frame_samples);
        frame.set(pcm.subarray(at, at + frame_samples));
        saying.push(frame);
      }
    },
    press: (digit) => send(dress.dtmf(digit)),
    heard: () => heard,
    levels: () => heard.map((frame) => Math.max(...frame)),
    digits: () => digitsIn(heard),
    hangUp() {
      saying = [];
      send(dress.stop);
      socket.close(1000);
    },
    clears,
    closed,
    raw: (text) => socket.send(text),
    breakOff: () => socket.terminate(),
  };
}

/** Keys by their two pitches (Goertzel); a key counts once for as long as it sounds. */
function digitsIn(frames: Int16Array[]): string {
  const power = (pcm: Int16Array, hz: number) => {
    const coefficient = 2 * Math.cos((2 * Math.PI * hz) / 8000);
    let [before, last] = [0, 0];
    for (const sample of pcm) [before, last] = [last, sample + coefficient * last - before];
    return last * last + before * before - coefficient * last * before;
  };
  let digits = '';
  let sounding = '';
  for (const frame of frames) {
    const energy = frame.reduce((sum, sample) => sum + sample * sample, 0) * (frame.length / 2);
    const key = [...keys].find((digit) => {
      const [low, high] = pitchesOf(digit).map((hz) => power(frame, hz) / (energy || 1)) as [number, number];
      return low > 0.3 && high > 0.3;
    });
    if (key && key !== sounding) digits += key;
    sounding = key ?? '';
  }
  return digits;
}
