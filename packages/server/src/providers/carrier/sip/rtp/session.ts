// One call's audio over RTP: paced by the wheel, heard through the jitter buffer, deaf to strangers.
import { randomInt } from 'node:crypto';
import type { RemoteInfo, Socket } from 'node:dgram';
import { earlyFrames } from '../../../media/early-frames.ts';
import { type Codec, g711 } from '../../../media/g711.ts';
import { toneFrame } from '../../../media/key-tones.ts';
import {
  digitPattern,
  frame_ms,
  frame_samples,
  type MediaEnd,
  type MediaSession,
} from '../../../media/media-session.ts';
import { playbackQueue } from '../../../media/playback-queue.ts';
import { type DigitStep, digitSteps } from './digits.ts';
import { jitterBuffer } from './jitter-buffer.ts';
import {
  blankPacket,
  digitPacket,
  own_payload_start,
  type PacketHead,
  readDigitEvent,
  readPacket,
  startPacket,
} from './packet.ts';
import { receptionCount } from './reception.ts';
import type { Wheel } from './wheel.ts';

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
  wheel: Wheel;
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

const systemNow = () => performance.now();

export type RtpSession = ReturnType<typeof rtpSession>;

export function rtpSession(options: RtpSessionOptions) {
  const { wheel, socket, inactivity_timeout_ms } = options;
  const now = options.now ?? systemNow;
  let negotiated = options.target;
  let target = negotiated;
  let codec = g711(target.codec);
  const playback = playbackQueue();
  const buffer = jitterBuffer();
  const reception = receptionCount();
  // Called for every packet: by their own names they are found sooner.
  const { play } = playback;
  const { push, pull } = buffer;
  const { count } = reception;
  // Names of their own, and whole numbers: what every packet reads and writes then lies in one place of the memory.
  let packets_sent = 0;
  let packets_refused = 0;
  let writes_dropped = 0;
  let send_late_us_max = 0;
  let strangers_dropped = 0;
  let malformed_dropped = 0;

  /** Of our next packet. */
  const head: PacketHead = {
    payload_type: target.payload_type,
    marker: false,
    sequence: randomInt(0x1_0000),
    timestamp: 0,
    ssrc: randomInt(0x1_0000_0000) | 0,
  };
  let timestamp = randomInt(0x1_0000_0000) | 0;
  let was_silent = true;
  const digit_steps: DigitStep[] = [];
  let digits_sent: (() => void)[] = [];
  let event_timestamp = 0;
  let heard_event_timestamp: number | null = null;

  /** Since the last packet of theirs. */
  let frames_unheard = 0;
  let latched = false;
  let open = true;
  const early = earlyFrames();
  let hear = early.hear;
  let digitHeard = (_digit: string) => {};
  /** Null while nobody records. */
  let played: ((pcm: Int16Array) => void) | null = null;
  const closing = Promise.withResolvers<MediaEnd>();

  function settleDigits(): void {
    for (const settle of digits_sent) settle();
    digits_sent = [];
  }

  function end(how: MediaEnd): void {
    if (!open) return;
    open = false;
    leaveWheel();
    playback.end();
    settleDigits();
    socket.close();
    closing.resolve(how);
  }

  function send(packet: Buffer): void {
    packets_sent++;
    head.sequence = (head.sequence + 1) & 0xffff;
    if (latched) socket.send(packet);
    else socket.send(packet, target.port, target.address);
  }

  function audioPacket(marker: boolean): Buffer {
    head.payload_type = target.payload_type;
    head.marker = marker;
    head.timestamp = timestamp;
    return startPacket(head, frame_samples);
  }

  function sendSpeech(pcm: Int16Array, start: number): void {
    // The first packet after a pause says so (RFC 3551 section 4.1).
    const packet = audioPacket(was_silent);
    codec.encodeInto(packet, own_payload_start, pcm, start, frame_samples);
    was_silent = false;
    send(packet);
  }

  /** Silence is sent as well: it keeps translators open and tells the other side that we are there. */
  function sendSilence(): void {
    was_silent = true;
    send(audioPacket(false).fill(codec.silence, own_payload_start));
  }

  function playSpeech(pcm: Int16Array, start: number): void {
    sendSpeech(pcm, start);
    if (played) played(pcm.subarray(start, start + frame_samples));
  }

  function sendDigitStep(step: DigitStep): void {
    if (step.kind === 'gap') {
      sendSilence();
    } else if (target.digits_payload_type !== null) {
      if (step.first) event_timestamp = timestamp;
      head.payload_type = target.digits_payload_type;
      head.marker = step.first;
      head.timestamp = event_timestamp;
      send(digitPacket(head, step.event));
    } else if (step.event.end) {
      sendSilence();
    } else {
      sendSpeech(toneFrame(step.event.digit, step.event.duration - frame_samples), 0);
    }
  }

  function speak(): void {
    if (digit_steps.length > 0) {
      sendDigitStep(digit_steps.shift()!);
      if (digit_steps.length === 0) settleDigits();
      return;
    }
    if (!play(playSpeech)) sendSilence();
  }

  function tick(late_ms: number): void {
    const late_us = (late_ms * 1000) | 0;
    if (late_us > send_late_us_max) send_late_us_max = late_us;
    if (!target.held) {
      if (++frames_unheard * frame_ms > inactivity_timeout_ms) {
        end({ by: 'failure', detail: `no RTP for ${inactivity_timeout_ms} ms` });
        return;
      }
      speak();
    }
    timestamp = (timestamp + frame_samples) | 0;
    if (open) hear(pull());
  }

  /** Once, and only to the host that was negotiated: its port may differ behind a translator, its address may not. */
  function latch(from: RemoteInfo): void {
    latched = true;
    target = { ...target, port: from.port };
    // From here on the kernel keeps strangers out, and sending costs half.
    socket.connect(from.port, from.address);
  }

  function receive(bytes: Buffer, from: RemoteInfo): void {
    if (!open) return;
    if (from.address !== target.address || (latched && from.port !== target.port)) {
      strangers_dropped++;
      return;
    }
    const packet = readPacket(bytes, incoming);
    const is_audio = packet?.payload_type === target.payload_type;
    if (!packet || (!is_audio && packet.payload_type !== target.digits_payload_type)) {
      malformed_dropped++;
      return;
    }
    if (!latched) latch(from);
    frames_unheard = 0;
    if (count(packet, now(), is_audio) === 'new_source') buffer.restart();
    const { payload_start, payload_end } = packet;
    if (is_audio) push(packet.timestamp, codec, bytes, payload_start, payload_end);
    else receiveDigit(packet.timestamp, bytes.subarray(payload_start, payload_end));
  }

  /** All packets of one key carry one timestamp: whichever comes first counts, so that no single loss matters. */
  function receiveDigit(event_at: number, payload: Buffer): void {
    const event = readDigitEvent(payload);
    if (event === null || event_at === heard_event_timestamp) return;
    heard_event_timestamp = event_at;
    digitHeard(event.digit);
  }

  socket.on('message', receive);
  // A peer that is not listening yet answers with ICMP; the inactivity timeout judges, not a single refusal.
  socket.on('error', () => {
    packets_refused++;
  });
  const leaveWheel = wheel.add(tick);

  return {
    onFrame(listener) {
      early.listen(listener);
      hear = listener;
    },
    onDigit(listener) {
      digitHeard = listener;
    },
    onPlayed(listener) {
      played = listener;
    },
    write(pcm) {
      if (playback.waiting_ms() > most_queued_ms) writes_dropped++;
      else playback.push(pcm);
    },
    mark: playback.mark,
    clear: playback.clear,
    played_ms: playback.played_ms,
    async sendDigits(digits) {
      if (!digitPattern.test(digits)) throw new Error('Only 0-9, *, # and A-D can be pressed, 64 at most.');
      if (!open) return;
      digit_steps.push(...digitSteps(digits));
      await new Promise<void>((settle) => digits_sent.push(settle));
    },
    close: () => end({ by: 'us' }),
    closed: closing.promise,

    /** The call has ended for a reason the stream cannot know. */
    end,

    /** After a re-INVITE: the stream may come from elsewhere, and then the latch is open again. */
    retarget(next: RtpTarget): void {
      const moved = next.address !== negotiated.address || next.port !== negotiated.port;
      negotiated = next;
      frames_unheard = 0;
      // What still waits was spoken in the old one.
      if (next.codec !== codec.codec) buffer.restart();
      codec = g711(next.codec);
      target = moved ? next : { ...next, port: target.port };
      if (!moved) return;
      if (latched) socket.disconnect();
      latched = false;
      buffer.restart();
    },

    stats: () => ({
      packets_sent,
      packets_refused,
      writes_dropped,
      send_late_ms_max: send_late_us_max / 1000,
      ...reception.stats(),
      strangers_dropped,
      malformed_dropped,
      late_dropped: buffer.stats.late_packets,
      concealed_ms: buffer.stats.concealed_samples / 8,
      buffered_ms: buffer.depth_ms(),
    }),
  } satisfies MediaSession & Record<string, unknown>;
}
