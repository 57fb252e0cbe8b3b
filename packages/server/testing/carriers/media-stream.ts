// The carrier's end of a media stream in tests: plays received audio in real time, returns marks and handles clear.
import WebSocket from 'ws';
import { keys, pitchesOf } from '../../src/protocols/audio/dtmf-tones.ts';
import { g711 } from '../../src/protocols/audio/g711.ts';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { frame_ms, frame_samples } from '../../src/providers/media/media-session.ts';

type Json = Record<string, unknown>;

/** The JSON messages of one carrier. */
export type StreamMessages = {
  connected: Json;
  start: Json;
  media(payload: string, count: number, timestamp_ms: number): Json;
  dtmf(digit: string): Json;
  mark(name: string): Json;
  stop: Json;
  /** Why a message of ours is wrong for this carrier; null when it is right. */
  problemIn(message: Json): string | null;
};

export type CarrierStream = {
  say(pcm: Int16Array): void;
  press(digit: string): void;
  /** The received audio, one entry per frame, silence included. */
  frames(): Int16Array[];
  levels(): number[];
  /** The digits in the received audio, recognized by their tones. */
  digits(): string;
  hangUp(): void;
  /** How many clear messages came, and how much audio they dropped. */
  clears: { count: number; dropped_ms: number };
  closed: Promise<{ code: number; reason: string }>;
  /** Sends any text. */
  raw(text: string): void;
  /** Simulates a network failure. */
  breakOff(): void;
};

type Send = (message: Json) => void;

/** What the carrier plays to the person: received audio in real time, with the marks between its bytes. */
function audioPlayer(messages: StreamMessages, send: Send) {
  const codec = g711('PCMU');
  const frames: Int16Array[] = [];
  const clears = { count: 0, dropped_ms: 0 };
  let playing: (number | { mark: string })[] = [];
  const returnMarks = () => {
    while (typeof playing[0] === 'object') send(messages.mark((playing.shift() as { mark: string }).mark));
  };
  return {
    frames,
    clears,
    receive(message: Json & { media?: { payload: string }; mark?: { name: string } }): void {
      if (message.event === 'media') playing.push(...Buffer.from(message.media!.payload, 'base64'));
      else if (message.event === 'mark') playing.push({ mark: message.mark!.name });
      else if (message.event === 'clear') {
        clears.count++;
        const dropped = playing;
        playing = [];
        clears.dropped_ms += dropped.filter((item) => typeof item === 'number').length / 8;
        for (const item of dropped) if (typeof item === 'object') send(messages.mark(item.mark));
      }
    },
    playFrame(): void {
      const frame = new Int16Array(frame_samples);
      for (let filled = 0; filled < frame_samples; ) {
        returnMarks();
        const byte = playing.shift();
        if (byte === undefined) break;
        frame[filled++] = codec.decode_table[byte as number]!;
      }
      returnMarks();
      frames.push(frame);
    },
  };
}

/** What the carrier sends to us: the person's speech, and silence between it. */
function audioSender(messages: StreamMessages, send: Send) {
  const codec = g711('PCMU');
  let to_send: Int16Array[] = [];
  let sent = 0;
  return {
    say(pcm: Int16Array): void {
      for (let at = 0; at < pcm.length; at += frame_samples) {
        const frame = new Int16Array(frame_samples);
        frame.set(pcm.subarray(at, at + frame_samples));
        to_send.push(frame);
      }
    },
    dropRest: () => {
      to_send = [];
    },
    sendFrame(): void {
      const frame = to_send.shift() ?? new Int16Array(frame_samples);
      const bytes = Buffer.alloc(frame_samples);
      codec.encodeInto(bytes, 0, frame, 0, frame.length);
      send(messages.media(bytes.toString('base64'), sent + 1, sent * frame_ms));
      sent++;
    },
  };
}

export async function openCarrierStream(options: {
  url: string;
  clock: MediaClock;
  messages: StreamMessages;
}): Promise<CarrierStream> {
  const { clock, messages } = options;
  const socket = new WebSocket(options.url);
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  socket.on('error', () => {});
  const send = (message: Json) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const player = audioPlayer(messages, send);
  const sender = audioSender(messages, send);
  socket.on('message', (bytes) => {
    const message = JSON.parse(String(bytes)) as Json;
    const problem = messages.problemIn(message);
    if (problem) socket.close(1002, problem);
    else player.receive(message);
  });

  const opened = await Promise.race([
    new Promise<true>((resolve) => socket.on('open', () => resolve(true))),
    closed.then(() => false as const),
  ]);
  if (opened) {
    send(messages.connected);
    send(messages.start);
  }
  const stop = clock.every(frame_ms, () => {
    player.playFrame();
    sender.sendFrame();
  });
  void closed.then(stop);

  return {
    say: sender.say,
    press: (digit) => send(messages.dtmf(digit)),
    frames: () => player.frames,
    levels: () => player.frames.map((frame) => Math.max(...frame)),
    digits: () => digitsIn(player.frames),
    hangUp() {
      sender.dropRest();
      send(messages.stop);
      socket.close(1000);
    },
    clears: player.clears,
    closed,
    raw: (text) => socket.send(text),
    breakOff: () => socket.terminate(),
  };
}

/** Recognizes digits by their two frequencies (Goertzel). A tone over several frames counts once. */
function digitsIn(frames: Int16Array[]): string {
  const power = (pcm: Int16Array, hz: number) => {
    const coefficient = 2 * Math.cos((2 * Math.PI * hz) / 8000);
    let [before, last] = [0, 0];
    for (const sample of pcm) [before, last] = [last, sample + coefficient * last - before];
    return last * last + before * before - coefficient * last * before;
  };
  let digits = '';
  let current = '';
  for (const frame of frames) {
    const energy = frame.reduce((sum, sample) => sum + sample * sample, 0) * (frame.length / 2);
    const key = [...keys].find((digit) => {
      const [low, high] = pitchesOf(digit).map((hz) => power(frame, hz) / (energy || 1)) as [number, number];
      return low > 0.3 && high > 0.3;
    });
    if (key && key !== current) digits += key;
    current = key ?? '';
  }
  return digits;
}
