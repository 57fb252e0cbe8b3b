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

export type RtpSession = ReturnType<typeof rtpSession>;

export function rtpSession(options: RtpSessionOptions) {
  const { wheel, socket, inactivity_timeout_ms } = options;
  const now = options.now ?? (() => performance.now());
  let negotiated = options.target;
  let target = negotiated;
  let codec = g711(target.codec);
  const playback = playbackQueue();
  const buffer = jitterBuffer();
  const reception = receptionCount();
  // Called for every packet: by their own names they are found sooner.
  const { take } = playback;
  const { push, pull } = buffer;
  const { count } = reception;
  const sent = { packets: 0, refused: 0, writes_dropped: 0, late_ms_max: 0 };
  const dropped = { strangers: 0, malformed: 0 };

  const ssrc = randomInt(0x1_0000_0000) | 0;
  let sequence = randomInt(0x1_0000);
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
    sent.packets++;
    sequence = (sequence + 1) & 0xffff;
    if (latched) socket.send(packet);
    else socket.send(packet, target.port, target.address);
  }

  const head = (payload_type: number, marker: boolean, at: number): PacketHead => ({
    payload_type,
    marker,
    sequence,
    timestamp: at,
    ssrc,
  });

  /** Silence is sent as well: it keeps translators open and tells the other side that we are there. */
  function sendAudio(pcm: Int16Array | null): void {
    // The first packet after a pause says so (RFC 3551 section 4.1).
    const packet = startPacket(
      head(target.payload_type, pcm !== null && was_silent, timestamp),
      frame_samples,
    );
    if (pcm) codec.encodeInto(packet, own_payload_start, pcm);
    else packet.fill(codec.silence, own_payload_start);
    was_silent = pcm === null;
    send(packet);
  }

  function sendDigitStep(step: DigitStep): void {
    if (step.kind === 'gap') {
      sendAudio(null);
    } else if (target.digits_payload_type !== null) {
      if (step.first) event_timestamp = timestamp;
      send(digitPacket(head(target.digits_payload_type, step.first, event_timestamp), step.event));
    } else {
      sendAudio(step.event.end ? null : toneFrame(step.event.digit, step.event.duration - frame_samples));
    }
  }

  function speak(): void {
    if (digit_steps.length > 0) {
      sendDigitStep(digit_steps.shift()!);
      if (digit_steps.length === 0) settleDigits();
      return;
    }
    const frame = take();
    sendAudio(frame);
    if (frame && played) played(frame);
  }

  function tick(late_ms: number): void {
    if (late_ms > sent.late_ms_max) sent.late_ms_max = late_ms;
    if (!target.held) {
      if (++frames_unheard * frame_ms > inactivity_timeout_ms) {
        end({ by: 'failure', detail: `no RTP for ${inactivity_timeout_ms} ms` });
        return;
      }
      speak();
    }
    timestamp = (timestamp + frame_samples) | 0;
    if (open) hear(pull(codec.decode_table));
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
      dropped.strangers++;
      return;
    }
    const packet = readPacket(bytes);
    const is_audio = packet?.payload_type === target.payload_type;
    if (!packet || (!is_audio && packet.payload_type !== target.digits_payload_type)) {
      dropped.malformed++;
      return;
    }
    if (!latched) latch(from);
    frames_unheard = 0;
    if (count(packet, now(), is_audio) === 'new_source') buffer.restart();
    const { payload_start, payload_end } = packet;
    if (is_audio) push(packet.timestamp, bytes, payload_start, payload_end);
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
    sent.refused++;
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
      if (playback.waiting_ms() > most_queued_ms) sent.writes_dropped++;
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
      packets_sent: sent.packets,
      packets_refused: sent.refused,
      writes_dropped: sent.writes_dropped,
      send_late_ms_max: sent.late_ms_max,
      ...reception.stats(),
      strangers_dropped: dropped.strangers,
      malformed_dropped: dropped.malformed,
      late_dropped: buffer.stats.late_packets,
      concealed_ms: buffer.stats.concealed_samples / 8,
      buffered_ms: buffer.depth_ms(),
    }),
  } satisfies MediaSession & Record<string, unknown>;
}
