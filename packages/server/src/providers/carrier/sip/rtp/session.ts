// One call's audio over RTP: paced by the wheel, heard through the jitter buffer, deaf to strangers.
import { randomInt } from 'node:crypto';
import type { RemoteInfo, Socket } from 'node:dgram';
import { toneFrame } from '../../../../protocols/audio/dtmf-tones.ts';
import { type Codec, type G711, g711 } from '../../../../protocols/audio/g711.ts';
import { earlyFrames } from '../../../media/early-frames.ts';
import {
  digitPattern,
  frame_ms,
  frame_samples,
  type MediaEnd,
  type MediaSession,
} from '../../../media/media-session.ts';
import { nextFrame, type Playback, playbackQueue } from '../../../media/playback-queue.ts';
import { type DigitStep, digitSteps } from './digits.ts';
import { depth_ms, type JitterBuffer, jitterBuffer, pull, push, restart } from './jitter-buffer.ts';
import {
  blankPacket,
  digitPacket,
  emptyPacket,
  own_payload_start,
  type PacketHead,
  readDigitEvent,
  readPacket,
  startPacket,
} from './packet.ts';
import { countPacket, type Reception, reception, receptionStats } from './reception.ts';
import { type Wheel, wheel } from './wheel.ts';

export type RtpTarget = {
  address: string;
  port: number;
  codec: Codec;
  payload_type: number;
  /** Null where the other side takes no telephone events. */
  digits_payload_type: number | null;
  /** The other side does not want our audio for now, and may send none. */
  held: boolean;
};

export type RtpSessionOptions = {
  wheel: RtpWheel;
  /** Bound already; the session owns it from here on. */
  socket: Socket;
  target: RtpTarget;
  /** Silence of the network, not of the person, that ends the session. */
  inactivity_timeout_ms: number;
  now?: () => number;
};

/** Five minutes of speech: a writer that runs further ahead than that has gone wrong. */
const most_queued_ms = 300_000;

/** One for all: a packet is done with before the next one is read. */
const incoming = blankPacket();
/** And so is the next one that is sent, unless its socket has to keep it. */
const outgoing: PacketHead = { payload_type: 0, marker: false, sequence: 0, timestamp: 0, ssrc: 0 };
let audio_packet = emptyPacket(frame_samples);

const systemNow = () => performance.now();

const no_steps: DigitStep[] = [];

/**
 * All that packets read and write. It is one plain record, and what happens to it are functions of the module: a packet
 * comes 20 ms after the last one, and among hundreds of calls each object or function of a call's own that it touches has
 * left the processor's memory by then.
 */
type Stream = {
  readonly socket: Socket;
  readonly playback: Playback;
  readonly buffer: JitterBuffer;
  readonly reception: Reception;
  readonly now: () => number;
  readonly inactivity_timeout_ms: number;
  open: boolean;
  /** Their first packet has come: from here on only its sender is listened and spoken to. */
  latched: boolean;
  address: string;
  port: number;
  codec: G711;
  payload_type: number;
  digits_payload_type: number | null;
  held: boolean;

  /** Of our next packet. */
  sequence: number;
  timestamp: number;
  readonly ssrc: number;
  was_silent: boolean;
  digit_steps: DigitStep[];
  event_timestamp: number;
  heard_event_timestamp: number | null;
  /** Since the last packet of theirs. */
  frames_unheard: number;

  hear: (pcm: Int16Array) => void;
  digitHeard: (digit: string) => void;
  /** Null while nobody records. */
  played: ((pcm: Int16Array) => void) | null;
  digitsSent: () => void;
  end: (how: MediaEnd) => void;

  /** Whole numbers, which need no memory of their own. */
  packets_sent: number;
  packets_refused: number;
  writes_dropped: number;
  send_late_us_max: number;
  strangers_dropped: number;
  malformed_dropped: number;
};

function send(stream: Stream, packet: Buffer): void {
  stream.packets_sent++;
  stream.sequence = (stream.sequence + 1) & 0xffff;
  if (stream.latched) stream.socket.send(packet);
  else stream.socket.send(packet, stream.port, stream.address);
  // Mostly the kernel has a copy by now. What still waits for it, or for the look-up of its address, is left alone.
  if (!stream.latched || stream.socket.getSendQueueCount() > 0) audio_packet = emptyPacket(frame_samples);
}

function audioPacket(stream: Stream, marker: boolean): Buffer {
  outgoing.payload_type = stream.payload_type;
  outgoing.marker = marker;
  outgoing.sequence = stream.sequence;
  outgoing.timestamp = stream.timestamp;
  outgoing.ssrc = stream.ssrc;
  return startPacket(outgoing, audio_packet);
}

function sendSpeech(stream: Stream, pcm: Int16Array, start: number): void {
  // The first packet after a pause says so (RFC 3551 section 4.1).
  const packet = audioPacket(stream, stream.was_silent);
  stream.codec.encodeInto(packet, own_payload_start, pcm, start, frame_samples);
  stream.was_silent = false;
  send(stream, packet);
}

/** Silence is sent as well: it keeps translators open and tells the other side that we are there. */
function sendSilence(stream: Stream): void {
  stream.was_silent = true;
  send(stream, audioPacket(stream, false).fill(stream.codec.silence, own_payload_start));
}

function sendDigitStep(stream: Stream, step: DigitStep): void {
  if (step.kind === 'gap') {
    sendSilence(stream);
  } else if (stream.digits_payload_type !== null) {
    if (step.first) stream.event_timestamp = stream.timestamp;
    const { digits_payload_type: payload_type, sequence, event_timestamp: timestamp, ssrc } = stream;
    send(stream, digitPacket({ payload_type, marker: step.first, sequence, timestamp, ssrc }, step.event));
  } else if (step.event.end) {
    sendSilence(stream);
  } else {
    sendSpeech(stream, toneFrame(step.event.digit, step.event.duration - frame_samples), 0);
  }
}

function speak(stream: Stream): void {
  if (stream.digit_steps !== no_steps) {
    sendDigitStep(stream, stream.digit_steps.shift()!);
    if (stream.digit_steps.length === 0) stream.digitsSent();
    return;
  }
  const pcm = nextFrame(stream.playback);
  if (pcm === null) {
    sendSilence(stream);
    return;
  }
  const start = stream.playback.frame_start;
  sendSpeech(stream, pcm, start);
  if (stream.played) stream.played(pcm.subarray(start, start + frame_samples));
}

function tick(stream: Stream, late_ms: number): void {
  const late_us = (late_ms * 1000) | 0;
  if (late_us > stream.send_late_us_max) stream.send_late_us_max = late_us;
  if (!stream.held) {
    if (++stream.frames_unheard * frame_ms > stream.inactivity_timeout_ms) {
      stream.end({ by: 'failure', detail: `no RTP for ${stream.inactivity_timeout_ms} ms` });
      return;
    }
    speak(stream);
  }
  stream.timestamp = (stream.timestamp + frame_samples) | 0;
  if (stream.open) stream.hear(pull(stream.buffer));
}

export type RtpWheel = Wheel<Stream>;

/** The clock of the sessions of a process. */
export const rtpWheel = (observe = (_late_ms: number) => {}): RtpWheel => wheel({ tick, observe });

/** Once, and only to the host that was negotiated: its port may differ behind a translator, its address may not. */
function latch(stream: Stream, from: RemoteInfo): void {
  stream.latched = true;
  stream.port = from.port;
  // From here on the kernel keeps strangers out, and sending costs half.
  stream.socket.connect(from.port, from.address);
}

function receive(stream: Stream, bytes: Buffer, from: RemoteInfo): void {
  if (!stream.open) return;
  if (from.address !== stream.address || (stream.latched && from.port !== stream.port)) {
    stream.strangers_dropped++;
    return;
  }
  const packet = readPacket(bytes, incoming);
  const is_audio = packet?.payload_type === stream.payload_type;
  if (!packet || (!is_audio && packet.payload_type !== stream.digits_payload_type)) {
    stream.malformed_dropped++;
    return;
  }
  if (!stream.latched) latch(stream, from);
  stream.frames_unheard = 0;
  const { buffer } = stream;
  if (countPacket(stream.reception, packet, stream.now(), is_audio) === 'new_source') restart(buffer);
  const { payload_start, payload_end } = packet;
  if (is_audio) push(buffer, packet.timestamp, stream.codec, bytes, payload_start, payload_end);
  else receiveDigit(stream, packet.timestamp, bytes.subarray(payload_start, payload_end));
}

/** All packets of one key carry one timestamp: whichever comes first counts, so that no single loss matters. */
function receiveDigit(stream: Stream, event_at: number, payload: Buffer): void {
  const event = readDigitEvent(payload);
  if (event === null || event_at === stream.heard_event_timestamp) return;
  stream.heard_event_timestamp = event_at;
  stream.digitHeard(event.digit);
}

export type RtpSession = ReturnType<typeof rtpSession>;

export function rtpSession(options: RtpSessionOptions) {
  const { socket, inactivity_timeout_ms, now = systemNow } = options;
  let negotiated = options.target;
  const queue = playbackQueue();
  const early = earlyFrames();
  let waiting_for_digits: (() => void)[] = [];
  const closing = Promise.withResolvers<MediaEnd>();

  function digitsSent(): void {
    stream.digit_steps = no_steps;
    for (const settle of waiting_for_digits) settle();
    waiting_for_digits = [];
  }

  function end(how: MediaEnd): void {
    if (!stream.open) return;
    stream.open = false;
    leaveWheel();
    queue.end();
    digitsSent();
    socket.close();
    closing.resolve(how);
  }

  const stream: Stream = {
    socket,
    playback: queue.playback,
    buffer: jitterBuffer(),
    reception: reception(),
    now,
    inactivity_timeout_ms,
    open: true,
    latched: false,
    address: negotiated.address,
    port: negotiated.port,
    codec: g711(negotiated.codec),
    payload_type: negotiated.payload_type,
    digits_payload_type: negotiated.digits_payload_type,
    held: negotiated.held,
    sequence: randomInt(0x1_0000),
    timestamp: randomInt(0x1_0000_0000) | 0,
    ssrc: randomInt(0x1_0000_0000) | 0,
    was_silent: true,
    digit_steps: no_steps,
    event_timestamp: 0,
    heard_event_timestamp: null,
    frames_unheard: 0,
    hear: early.hear,
    digitHeard() {},
    played: null,
    digitsSent,
    end,
    packets_sent: 0,
    packets_refused: 0,
    writes_dropped: 0,
    send_late_us_max: 0,
    strangers_dropped: 0,
    malformed_dropped: 0,
  };
  const { buffer } = stream;

  socket.on('message', (bytes, from) => receive(stream, bytes, from));
  // A peer that is not listening yet answers with ICMP; the inactivity timeout judges, not a single refusal.
  socket.on('error', () => {
    stream.packets_refused++;
  });
  const leaveWheel = options.wheel.add(stream);

  return {
    onFrame(listener) {
      early.listen(listener);
      stream.hear = listener;
    },
    onDigit(listener) {
      stream.digitHeard = listener;
    },
    onPlayed(listener) {
      stream.played = listener;
    },
    write(pcm) {
      if (queue.waiting_ms() > most_queued_ms) stream.writes_dropped++;
      else queue.push(pcm);
    },
    mark: queue.mark,
    clear: queue.clear,
    played_ms: queue.played_ms,
    async sendDigits(digits) {
      if (!digitPattern.test(digits)) throw new Error('Only 0-9, *, # and A-D can be pressed, 64 at most.');
      if (!stream.open) return;
      stream.digit_steps = [...stream.digit_steps, ...digitSteps(digits)];
      await new Promise<void>((settle) => waiting_for_digits.push(settle));
    },
    close: () => end({ by: 'us' }),
    closed: closing.promise,

    /** The call has ended for a reason the stream cannot know. */
    end,

    /** After a re-INVITE: the stream may come from elsewhere, and then the latch is open again. */
    retarget(next: RtpTarget): void {
      const moved = next.address !== negotiated.address || next.port !== negotiated.port;
      negotiated = next;
      stream.frames_unheard = 0;
      // What still waits was spoken in the old one.
      if (next.codec !== stream.codec.codec) restart(buffer);
      stream.codec = g711(next.codec);
      stream.payload_type = next.payload_type;
      stream.digits_payload_type = next.digits_payload_type;
      stream.held = next.held;
      if (!moved) return;
      stream.address = next.address;
      stream.port = next.port;
      if (stream.latched) socket.disconnect();
      stream.latched = false;
      restart(buffer);
    },

    stats: () => ({
      packets_sent: stream.packets_sent,
      packets_refused: stream.packets_refused,
      writes_dropped: stream.writes_dropped,
      send_late_ms_max: stream.send_late_us_max / 1000,
      ...receptionStats(stream.reception),
      strangers_dropped: stream.strangers_dropped,
      malformed_dropped: stream.malformed_dropped,
      late_dropped: buffer.late_packets,
      concealed_ms: buffer.concealed_samples / 8,
      buffered_ms: depth_ms(buffer),
    }),
  } satisfies MediaSession & Record<string, unknown>;
}
