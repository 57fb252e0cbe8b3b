// Sends RTCP reports about one stream (RFC 3550 section 6): some carriers end a call from which none come.
import { randomBytes, randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { frame_samples } from '../../../media/media-session.ts';
import type { Reception } from './reception.ts';
import type { RtpTarget } from './session.ts';

/** What a report says about a stream, and where the stream goes. */
export type StreamState = {
  ssrc: number;
  /** RTP time of the next packet. */
  timestamp: number;
  packets_sent: number;
  packets_lost: number;
  reception: Readonly<Reception>;
  target: Pick<RtpTarget, 'address' | 'port' | 'reports_port' | 'srtp'>;
};

/** What the last report said, for the differences in the next one. */
export type Reported = { packets_sent: number; received: number; lost: number };

export const nothing_reported: Reported = { packets_sent: 0, received: 0, lost: 0 };

const version = 2 << 6;
const [sender_report, receiver_report, source_description] = [200, 201, 202];
const seconds_from_1900_to_1970 = 2_208_988_800;

/** Writes the type, the length in words, and the source, with which every packet begins. */
function begin(packet: Buffer, at: number, type: number, blocks: number, bytes: number, ssrc: number): void {
  packet[at] = version | blocks;
  packet[at + 1] = type;
  packet.writeUInt16BE(bytes / 4 - 1, at + 2);
  packet.writeUInt32BE(ssrc >>> 0, at + 4);
}

/** One block about the source that we hear: loss since the last report and in total, the newest packet, and jitter. */
function writeBlock(packet: Buffer, at: number, state: StreamState, before: Reported): void {
  const { reception, packets_lost } = state;
  const lost = packets_lost - before.lost;
  const expected = reception.received - before.received + lost;
  packet.writeUInt32BE(reception.ssrc! >>> 0, at);
  packet[at + 4] = lost > 0 ? Math.min(255, Math.floor((lost * 256) / expected)) : 0;
  packet.writeUIntBE(Math.min(packets_lost, 0x7f_ffff), at + 5, 3);
  packet.writeUInt32BE(reception.highest >>> 0, at + 8);
  packet.writeUInt32BE((reception.jitter >> 4) >>> 0, at + 12);
  // The other side's own reports are not read, so the last two words, about the newest of them, stay 0.
}

/** A report and the name of its source; a sender's report when we sent packets since the last one. */
export function reportPacket(state: StreamState, before: Reported, name: string, now_ms: number): Buffer {
  const is_sender = state.packets_sent > before.packets_sent;
  const hears = state.reception.ssrc !== null;
  const head_bytes = is_sender ? 28 : 8;
  const report_bytes = head_bytes + (hears ? 24 : 0);
  // The name ends with at least one zero, at a full word.
  const name_bytes = 8 + (Math.floor((2 + name.length) / 4) + 1) * 4;
  const packet = Buffer.alloc(report_bytes + name_bytes);
  begin(packet, 0, is_sender ? sender_report : receiver_report, hears ? 1 : 0, report_bytes, state.ssrc);
  if (is_sender) {
    packet.writeUInt32BE((Math.floor(now_ms / 1000) + seconds_from_1900_to_1970) >>> 0, 8);
    packet.writeUInt32BE(Math.floor(((now_ms % 1000) / 1000) * 2 ** 32), 12);
    packet.writeUInt32BE(state.timestamp >>> 0, 16);
    packet.writeUInt32BE(state.packets_sent >>> 0, 20);
    // Every packet but those of keys has this many octets.
    packet.writeUInt32BE((state.packets_sent * frame_samples) >>> 0, 24);
  }
  if (hears) writeBlock(packet, head_bytes, state, before);
  begin(packet, report_bytes, source_description, 1, name_bytes, state.ssrc);
  packet[report_bytes + 8] = 1;
  packet[report_bytes + 9] = name.length;
  packet.write(name, report_bytes + 10, 'latin1');
  return packet;
}

const isPort = (port: number): boolean => port > 0 && port < 65_536;

export type ReportsOptions = {
  /** Where the stream is bound. Reports go out from the port after it, to the port after that of the other side. */
  local: { address: string; port: number };
  read(): StreamState;
  interval_ms?: number;
};

/** Starts with the first half of an interval, as the standard asks; a call that ends before it costs no socket. */
export function rtcpReports({ local, read, interval_ms = 5000 }: ReportsOptions) {
  /** Says nothing about the person or the machine (RFC 7022). */
  const name = randomBytes(12).toString('base64');
  let socket: Socket | null = null;
  let reported = nothing_reported;
  let timer = sendAfter(interval_ms / 2);

  /** Not at the same moment as all other calls. */
  function sendAfter(ms: number): NodeJS.Timeout {
    return setTimeout(send, ms / 2 + randomInt(Math.ceil(ms))).unref();
  }

  function open(): Socket {
    const opened = createSocket(isIPv6(local.address) ? 'udp6' : 'udp4');
    // The port may be taken, and the other side may not listen: a call goes on without reports.
    opened.on('error', () => {});
    opened.bind(local.port + 1, local.address);
    return opened;
  }

  function send(): void {
    timer = sendAfter(interval_ms);
    const now = read();
    const { address, port, reports_port = port + 1, srtp } = now.target;
    const is_zero_address = address === '0.0.0.0' || address === '::';
    // Reports of an encrypted stream would have to be encrypted too (SRTCP). On hold the address may be zeros.
    if (srtp || is_zero_address || !isPort(reports_port) || !isPort(local.port + 1)) return;
    socket ??= open();
    socket.send(reportPacket(now, reported, name, Date.now()), reports_port, address, () => {});
    const { packets_sent, packets_lost, reception } = now;
    reported = { packets_sent, received: reception.received, lost: packets_lost };
  }

  return {
    stop(): void {
      clearTimeout(timer);
      socket?.close();
      socket = null;
    },
  };
}
