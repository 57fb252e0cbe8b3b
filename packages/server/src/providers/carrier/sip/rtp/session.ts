// The media session of one call over RTP: sends at the pace of the wheel, receives through the jitter buffer, and drops
// packets from other sources.
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
  type PacketHeader,
  readDigitEvent,
  readPacket,
  startPacket,
} from './packet.ts';
import { countPacket, type Reception, reception, receptionStats } from './reception.ts';
import { type SrtpKeys, type SrtpReceiver, type SrtpSender, srtpReceiver, srtpSender } from './srtp.ts';
import { type Wheel, wheel } from './wheel.ts';

export type RtpTarget = {
  address: string;
  port: number;
  /** Absent: reports go to the port after that of the audio; 0: none. */
  reports_port?: number;
  codec: Codec;
  payload_type: number;
  /** Null where the other side supports no telephone events. */
  digits_payload_type: number | null;
  /** On hold: we send no audio, and the other side may send none. */
  held: boolean;
  /** Absent: the packets are not encrypted. */
  srtp?: SrtpKeys;
};

export type RtpSessionOptions = {
  wheel: RtpWheel;
  /** Already bound. The session owns it and closes it. */
  socket: Socket;
  target: RtpTarget;
  /** The session ends after this time without packets. A silent person still sends packets. */
  inactivity_timeout_ms: number;
  now?: () => number;
};

/** More audio than this in the queue is a bug of the writer; it is dropped. */
const max_queued_ms = 300_000;

/** Shared by all sessions: a packet is handled completely before the next one is read. */
const incoming = blankPacket();
/** Shared as well. `audio_packet` is replaced when its socket still needs the buffer. */
const outgoing: PacketHeader = { payload_type: 0, marker: false, sequence: 0, timestamp: 0, ssrc: 0 };
let audio_packet = emptyPacket(frame_samples);

const systemNow = () => performance.now();
const no_steps: DigitStep[] = [];
/**
 * The state that is read and written for every packet: one flat record, changed by functions of this module. With hundreds
 * of calls every further object or closure per call would be a cache miss for each packet, 50 times per second.
 */
type Stream = {
  readonly socket: Socket;
  readonly playback: Playback;
  readonly buffer: JitterBuffer;
  readonly reception: Reception;
  readonly now: () => number;
  readonly inactivity_timeout_ms: number;
  open: boolean;
  /** The first packet has arrived. From now on packets are accepted only from its source, and sent only to it. */
  latched: boolean;
  negotiated: RtpTarget;
  address: string;
  port: number;
  codec: G711;
  payload_type: number;
  digits_payload_type: number | null;
  held: boolean;
  /** Null where the packets are not encrypted. */
  sender: SrtpSender | null;
  receiver: SrtpReceiver | null;

  /** Header fields of our next packet. */
  sequence: number;
  timestamp: number;
  readonly ssrc: number;
  was_silent: boolean;
  digit_steps: DigitStep[];
  event_timestamp: number;
  received_event_timestamp: number | null;
  /** Frames since the last packet of the other side. */
  frames_without_packet: number;

  onFrame: (pcm: Int16Array) => void;
  onDigit: (digit: string) => void;
  /** Null without a recording. */
  onPlayed: ((pcm: Int16Array) => void) | null;
  digitsSent: () => void;
  end: (how: MediaEnd) => void;

  /** Counters are integers: V8 stores those in the record, and floats in separate heap objects. */
  packets_sent: number;
  packets_refused: number;
  writes_dropped: number;
  send_late_us_max: number;
  untrusted_dropped: number;
  malformed_dropped: number;
  /** Encrypted packets that are forged, repeated or too old. */
  unauthentic_dropped: number;
};

function send(stream: Stream, plain: Buffer): void {
  const packet = stream.sender ? stream.sender.protect(plain) : plain;
  stream.packets_sent++;
  stream.sequence = (stream.sequence + 1) & 0xffff;
  if (stream.latched) stream.socket.send(packet);
  else stream.socket.send(packet, stream.port, stream.address);
  // Usually the kernel has copied the packet by now. A packet that is still queued keeps its buffer.
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
  // The first packet after a pause has the marker bit (RFC 3551 section 4.1).
  const packet = audioPacket(stream, stream.was_silent);
  stream.codec.encodeInto(packet, own_payload_start, pcm, start, frame_samples);
  stream.was_silent = false;
  send(stream, packet);
}

/** Silence is sent too: it keeps NAT mappings open and shows the other side that the call is alive. */
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

function sendNext(stream: Stream): void {
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
  if (stream.onPlayed) stream.onPlayed(pcm.subarray(start, start + frame_samples));
}

function tick(stream: Stream, late_ms: number): void {
  const late_us = (late_ms * 1000) | 0;
  if (late_us > stream.send_late_us_max) stream.send_late_us_max = late_us;
  if (!stream.held) {
    if (++stream.frames_without_packet * frame_ms > stream.inactivity_timeout_ms) {
      stream.end({ by: 'failure', detail: `no RTP for ${stream.inactivity_timeout_ms} ms` });
      return;
    }
    sendNext(stream);
  }
  stream.timestamp = (stream.timestamp + frame_samples) | 0;
  if (stream.open) stream.onFrame(pull(stream.buffer));
}

export type RtpWheel = Wheel<Stream>;

/** The clock of all sessions of a process. */
export const rtpWheel = (observe = (_late_ms: number) => {}): RtpWheel => wheel({ tick, observe });

/** Happens once, and only for the negotiated host: behind a NAT its port may differ, its address may not. */
function latch(stream: Stream, from: RemoteInfo): void {
  stream.latched = true;
  stream.port = from.port;
  // After connect the kernel drops packets from other sources, and sending costs half as much.
  stream.socket.connect(from.port, from.address);
}

function receive(stream: Stream, bytes: Buffer, from: RemoteInfo): void {
  if (!stream.open) return;
  if (from.address !== stream.address || (stream.latched && from.port !== stream.port)) {
    stream.untrusted_dropped++;
    return;
  }
  const plain = stream.receiver ? stream.receiver.unprotect(bytes) : bytes;
  if (plain === null) {
    stream.unauthentic_dropped++;
    return;
  }
  const packet = readPacket(plain, incoming);
  const is_audio = packet?.payload_type === stream.payload_type;
  if (!packet || (!is_audio && packet.payload_type !== stream.digits_payload_type)) {
    stream.malformed_dropped++;
    return;
  }
  if (!stream.latched) latch(stream, from);
  stream.frames_without_packet = 0;
  const { buffer } = stream;
  if (countPacket(stream.reception, packet, stream.now(), is_audio) === 'new_source') restart(buffer);
  const { payload_start, payload_end } = packet;
  if (is_audio) push(buffer, packet.timestamp, stream.codec, plain, payload_start, payload_end);
  else receiveDigit(stream, packet.timestamp, plain.subarray(payload_start, payload_end));
}

/** All packets of one key have the same timestamp. The first that arrives counts, so a single loss does not matter. */
function receiveDigit(stream: Stream, event_at: number, payload: Buffer): void {
  const event = readDigitEvent(payload);
  if (event === null || event_at === stream.received_event_timestamp) return;
  stream.received_event_timestamp = event_at;
  stream.onDigit(event.digit);
}

export type RtpSession = ReturnType<typeof rtpSession>;

export function rtpSession(options: RtpSessionOptions) {
  const { socket } = options;
  const queue = playbackQueue();
  const early = earlyFrames();
  let waiting_for_digits: (() => void)[] = [];
  const closing = Promise.withResolvers<MediaEnd>();
  const digitsSent = () => {
    stream.digit_steps = no_steps;
    for (const settle of waiting_for_digits) settle();
    waiting_for_digits = [];
  };
  const end = (how: MediaEnd): void => {
    if (!stream.open) return;
    stream.open = false;
    leaveWheel();
    queue.end();
    digitsSent();
    socket.close();
    closing.resolve(how);
  };
  const stream = newStream(options, { playback: queue.playback, onFrame: early.push, digitsSent, end });
  socket.on('message', (bytes, from) => receive(stream, bytes, from));
  // A peer that does not listen yet causes an ICMP error. One error is harmless: the inactivity timeout ends dead streams.
  socket.on('error', () => {
    stream.packets_refused++;
  });
  const leaveWheel = options.wheel.add(stream);
  return {
    onFrame(listener) {
      early.onFrame(listener);
      stream.onFrame = listener;
    },
    onDigit(listener) {
      stream.onDigit = listener;
    },
    onPlayed(listener) {
      stream.onPlayed = listener;
    },
    write(pcm) {
      if (queue.waiting_ms() > max_queued_ms) stream.writes_dropped++;
      else queue.push(pcm);
    },
    mark: queue.mark,
    clear: queue.clear,
    played_ms: queue.played_ms,
    async sendDigits(digits) {
      if (!digitPattern.test(digits)) throw new Error('Only 0-9, *, # and A-D can be sent, at most 64.');
      if (!stream.open) return;
      stream.digit_steps = [...stream.digit_steps, ...digitSteps(digits)];
      await new Promise<void>((settle) => waiting_for_digits.push(settle));
    },
    close: () => end({ by: 'us' }),
    closed: closing.promise,
    /** Ends the session for a reason from outside the stream, such as a BYE. */
    end,
    retarget: (next: RtpTarget): void => retarget(stream, next),
    stats: () => streamStats(stream),
    source: stream as Readonly<Pick<Stream, 'ssrc' | 'timestamp' | 'reception' | 'negotiated'>>,
  } satisfies MediaSession & Record<string, unknown>;
}

function newStream(
  { socket, target, inactivity_timeout_ms, now = systemNow }: RtpSessionOptions,
  parts: Pick<Stream, 'playback' | 'onFrame' | 'digitsSent' | 'end'>,
): Stream {
  return {
    socket,
    playback: parts.playback,
    buffer: jitterBuffer(),
    reception: reception(),
    now,
    inactivity_timeout_ms,
    open: true,
    latched: false,
    negotiated: target,
    address: target.address,
    port: target.port,
    codec: g711(target.codec),
    payload_type: target.payload_type,
    digits_payload_type: target.digits_payload_type,
    held: target.held,
    ...secured(target.srtp, null),
    // The lower half: when the first packets get lost, an encrypted stream is still read with the right roll-over counter.
    sequence: randomInt(0x8000),
    timestamp: randomInt(0x1_0000_0000) | 0,
    ssrc: randomInt(0x1_0000_0000) | 0,
    was_silent: true,
    digit_steps: no_steps,
    event_timestamp: 0,
    received_event_timestamp: null,
    frames_without_packet: 0,
    onFrame: parts.onFrame,
    onDigit() {},
    onPlayed: null,
    digitsSent: parts.digitsSent,
    end: parts.end,
    packets_sent: 0,
    packets_refused: 0,
    writes_dropped: 0,
    send_late_us_max: 0,
    untrusted_dropped: 0,
    malformed_dropped: 0,
    unauthentic_dropped: 0,
  };
}

/** A key that stays keeps its counters and its window. */
function secured(
  keys: SrtpKeys | undefined,
  earlier: Pick<Stream, 'sender' | 'receiver'> | null,
): Pick<Stream, 'sender' | 'receiver'> {
  if (!keys) return { sender: null, receiver: null };
  const { suite, send: send_key, receive: receive_key } = keys;
  return {
    sender: earlier?.sender?.isFor(keys) ? earlier.sender : srtpSender(suite, send_key),
    receiver: earlier?.receiver?.isFor(keys) ? earlier.receiver : srtpReceiver(suite, receive_key),
  };
}

/** Applies a re-INVITE. The stream may now come from another address; then the next packet latches again. */
function retarget(stream: Stream, next: RtpTarget): void {
  const { negotiated, buffer } = stream;
  const has_moved = next.address !== negotiated.address || next.port !== negotiated.port;
  stream.negotiated = next;
  stream.frames_without_packet = 0;
  // Buffered audio was encoded with the old codec.
  if (next.codec !== stream.codec.codec) restart(buffer);
  stream.codec = g711(next.codec);
  stream.payload_type = next.payload_type;
  stream.digits_payload_type = next.digits_payload_type;
  stream.held = next.held;
  Object.assign(stream, secured(next.srtp, stream));
  if (!has_moved) return;
  stream.address = next.address;
  stream.port = next.port;
  if (stream.latched) stream.socket.disconnect();
  stream.latched = false;
  restart(buffer);
}

const streamStats = (stream: Stream) => ({
  packets_sent: stream.packets_sent,
  packets_refused: stream.packets_refused,
  writes_dropped: stream.writes_dropped,
  send_late_ms_max: stream.send_late_us_max / 1000,
  ...receptionStats(stream.reception),
  untrusted_dropped: stream.untrusted_dropped,
  malformed_dropped: stream.malformed_dropped,
  unauthentic_dropped: stream.unauthentic_dropped,
  late_dropped: stream.buffer.late_packets,
  concealed_ms: stream.buffer.concealed_samples / 8,
  buffered_ms: depth_ms(stream.buffer),
});
