// One call's audio over RTP: paced by the wheel, heard through the jitter buffer, deaf to strangers.
import { randomInt } from 'node:crypto';
import type { RemoteInfo, Socket } from 'node:dgram';
import { type DigitStep, digitSteps, toneFrame } from './digits.ts';
import { type Codec, g711 } from './g711.ts';
import { frame_samples, jitterBuffer } from './jitter-buffer.ts';
import { digitPacket, type PacketHead, payload_start, readDigitEvent, readPacket, startPacket } from './packet.ts';
import { playoutQueue } from './playout-queue.ts';
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

export type RtpCloseReason = 'closed' | 'inactive';

export type RtpSessionOptions = {
  wheel: Wheel;
  /** Bound already; the session owns it from here on. */
  socket: Socket;
  target: RtpTarget;
  /** Silence of the network, not of the person, that ends the session. */
  inactivity_timeout_ms: number;
  now?: () => number;
};

/** Two minutes of speech: a writer that runs further ahead than that has gone wrong. */
const most_queued_samples = 120 * 8000;

export function rtpSession(options: RtpSessionOptions) {
  const { wheel, socket, inactivity_timeout_ms } = options;
  const now = options.now ?? (() => performance.now());
  let negotiated = options.target;
  let target = negotiated;
  let codec = g711(target.codec);
  const playout = playoutQueue(codec.silence);
  const buffer = jitterBuffer();
  const reception = receptionCount();
  const sent = { packets: 0, refused: 0, late_ms_max: 0, dropped_writes: 0 };
  const dropped = { strangers: 0, malformed: 0 };

  let sequence = randomInt(0x1_0000);
  let timestamp = randomInt(0x1_0000_0000);
  const ssrc = randomInt(0x1_0000_0000);
  /** After a pause in our audio the first packet says so (RFC 3551 section 4.1). */
  let was_silent = true;
  let digit_steps: DigitStep[] = [];
  let digits_sent: (() => void)[] = [];
  let event_timestamp = 0;
  let heard_event_timestamp: number | null = null;

  let heard_at = now();
  let latched = false;
  let open = true;
  let onFrame: ((pcm: Int16Array) => void) | null = null;
  let onDigit: ((digit: string) => void) | null = null;
  const closing = Promise.withResolvers<RtpCloseReason>();

  function close(reason: RtpCloseReason): void {
    if (!open) return;
    open = false;
    leaveWheel();
    playout.clear();
    for (const settle of digits_sent) settle();
    digits_sent = [];
    socket.close();
    closing.resolve(reason);
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

  function sendAudio(fill: (packet: Buffer) => boolean): void {
    const packet = startPacket(head(target.payload_type, was_silent, timestamp), frame_samples);
    was_silent = !fill(packet);
    // The marker stands on the first packet of a talk spurt only, which is known once the frame is filled.
    if (was_silent) packet[1] = target.payload_type;
    send(packet);
  }

  function sendDigitStep(step: DigitStep): void {
    if (step.kind === 'gap') {
      sendAudio((packet) => {
        packet.fill(codec.silence, payload_start);
        return false;
      });
    } else if (target.digits_payload_type !== null) {
      if (step.first) event_timestamp = timestamp;
      send(digitPacket(head(target.digits_payload_type, step.first, event_timestamp), step.event));
    } else {
      const tone = codec.encode(toneFrame(step.event.digit, step.event.duration - frame_samples));
      sendAudio((packet) => {
        if (step.event.end) packet.fill(codec.silence, payload_start);
        else packet.set(tone, payload_start);
        return !step.event.end;
      });
    }
  }

  function speak(): void {
    const step = digit_steps.shift();
    if (!step) return sendAudio((packet) => playout.fill(packet, payload_start));
    sendDigitStep(step);
    if (digit_steps.length > 0) return;
    for (const settle of digits_sent) settle();
    digits_sent = [];
  }

  function tick(late_ms: number): void {
    if (late_ms > sent.late_ms_max) sent.late_ms_max = late_ms;
    if (!target.held) {
      if (now() - heard_at > inactivity_timeout_ms) return close('inactive');
      speak();
    }
    timestamp = (timestamp + frame_samples) >>> 0;
    const frame = onFrame && buffer.pull();
    if (frame) onFrame!(frame);
  }

  /** Once, and only to the host that was negotiated: its port may differ behind a translator, its address may not. */
  function latch(from: RemoteInfo): void {
    latched = true;
    target = { ...target, port: from.port };
    socket.connect(from.port, from.address);
  }

  function receive(bytes: Buffer, from: RemoteInfo): void {
    if (!open) return;
    if (from.address !== target.address || (latched && from.port !== target.port)) {
      dropped.strangers++;
      return;
    }
    const packet = readPacket(bytes);
    const known =
      packet && (packet.payload_type === target.payload_type || packet.payload_type === target.digits_payload_type);
    if (!known) {
      dropped.malformed++;
      return;
    }
    if (!latched) latch(from);
    heard_at = now();
    if (reception.count(packet, heard_at, packet.payload_type === target.payload_type) === 'new_source') buffer.restart();
    if (packet.payload_type === target.payload_type) {
      buffer.push(packet.timestamp, packet.payload, codec.decode_table);
      return;
    }
    const event = readDigitEvent(packet.payload);
    // All packets of one key carry one timestamp: whichever comes first counts, so that no single loss matters.
    if (event === null || packet.timestamp === heard_event_timestamp) return;
    heard_event_timestamp = packet.timestamp;
    onDigit?.(event.digit);
  }

  socket.on('message', receive);
  // A peer that is not listening yet answers with ICMP; the inactivity timeout judges, not a single refusal.
  socket.on('error', () => {
    sent.refused++;
  });
  const leaveWheel = wheel.add(tick);

  return {
    closed: closing.promise,
    close: () => close('closed'),
    setHandlers(handlers: { frame?: (pcm: Int16Array) => void; digit?: (digit: string) => void }): void {
      onFrame = handlers.frame ?? onFrame;
      onDigit = handlers.digit ?? onDigit;
    },

    write(pcm: Int16Array): void {
      if (!open) return;
      if (playout.queued_samples() + pcm.length > most_queued_samples) sent.dropped_writes++;
      else playout.push(codec.encode(pcm));
    },
    mark: () => (open ? playout.mark() : Promise.resolve('cleared' as const)),
    clear: () => playout.clear(),
    played_ms: () => playout.played_samples() / 8,
    queued_ms: () => playout.queued_samples() / 8,

    /** Settles when the last key was sent; false when a character is no key. */
    async pressDigits(digits: string): Promise<boolean> {
      const steps = digitSteps(digits);
      if (steps === null) return false;
      if (!open || steps.length === 0) return true;
      digit_steps.push(...steps);
      await new Promise<void>((settle) => digits_sent.push(settle));
      return true;
    },

    /** After a re-INVITE: the stream may come from elsewhere, and the latch is open again. */
    retarget(next: RtpTarget): void {
      const moved = next.address !== target.address || next.port !== negotiated.port;
      negotiated = next;
      heard_at = now();
      codec = g711(next.codec);
      if (!moved) {
        target = { ...next, port: target.port };
        return;
      }
      if (latched) socket.disconnect();
      latched = false;
      target = next;
      buffer.restart();
    },

    stats: () => ({
      packets_sent: sent.packets,
      packets_refused: sent.refused,
      writes_dropped: sent.dropped_writes,
      send_late_ms_max: sent.late_ms_max,
      ...reception.stats(),
      strangers_dropped: dropped.strangers,
      malformed_dropped: dropped.malformed,
      late_dropped: buffer.stats.late_packets,
      concealed_ms: buffer.stats.concealed_samples / 8,
      buffered_ms: buffer.depth_ms(),
    }),
  };
}
export type RtpSession = ReturnType<typeof rtpSession>;
