// RTP packets (RFC 3550 section 5.1) and the telephone events in them (RFC 4733).

export type RtpPacket = {
  payload_type: number;
  marker: boolean;
  sequence: number;
  /** `timestamp` and `ssrc` are signed 32-bit integers: only differences and equality matter, and V8 stores them without allocation. */
  timestamp: number;
  ssrc: number;
  /** Bounds of the payload in the bytes of the packet. */
  payload_start: number;
  payload_end: number;
};

const header_bytes = 12;

const readWord = (bytes: Buffer, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

export const blankPacket = (): RtpPacket => ({
  payload_type: 0,
  marker: false,
  sequence: 0,
  timestamp: 0,
  ssrc: 0,
  payload_start: 0,
  payload_end: 0,
});

/**
 * Null for bytes that are not an RTP packet: anyone can send to an open port. Pass `packet` to reuse a record for every
 * packet.
 */
export function readPacket(bytes: Buffer, packet = blankPacket()): RtpPacket | null {
  if (bytes.length < header_bytes || bytes[0]! >> 6 !== 2) return null;
  const flags = bytes[0]!;
  let start = header_bytes + (flags & 0x0f) * 4;
  if (flags & 0x10) {
    if (start + 4 > bytes.length) return null;
    start += 4 + bytes.readUInt16BE(start + 2) * 4;
  }
  const padding = flags & 0x20 ? bytes[bytes.length - 1]! : 0;
  const end = bytes.length - padding;
  if (start > end) return null;
  packet.payload_type = bytes[1]! & 0x7f;
  packet.marker = bytes[1]! >= 0x80;
  packet.sequence = (bytes[2]! << 8) | bytes[3]!;
  packet.timestamp = readWord(bytes, 4);
  packet.ssrc = readWord(bytes, 8);
  packet.payload_start = start;
  packet.payload_end = end;
  return packet;
}

export type PacketHeader = Omit<RtpPacket, 'payload_start' | 'payload_end'>;

function writeWord(packet: Buffer, at: number, word: number): void {
  packet[at] = word >>> 24;
  packet[at + 1] = word >>> 16;
  packet[at + 2] = word >>> 8;
  packet[at + 3] = word;
}

export const emptyPacket = (payload_bytes: number): Buffer => Buffer.alloc(header_bytes + payload_bytes);

/** Writes the header; the caller writes the payload. */
export function startPacket(header: PacketHeader, packet: Buffer): Buffer {
  packet[0] = 0x80;
  packet[1] = (header.marker ? 0x80 : 0) | header.payload_type;
  packet[2] = header.sequence >>> 8;
  packet[3] = header.sequence;
  writeWord(packet, 4, header.timestamp);
  writeWord(packet, 8, header.ssrc);
  return packet;
}
/** Offset of the payload in our packets. */
export const own_payload_start = header_bytes;

const event_names = '0123456789*#ABCD';

export type DigitEvent = { digit: string; end: boolean; duration: number };

export function readDigitEvent(payload: Buffer): DigitEvent | null {
  const digit = payload.length >= 4 ? event_names[payload[0]!] : undefined;
  return digit === undefined ? null : { digit, end: payload[1]! >= 0x80, duration: payload.readUInt16BE(2) };
}

export function digitPacket(header: PacketHeader, event: DigitEvent): Buffer {
  const packet = startPacket(header, emptyPacket(4));
  packet[own_payload_start] = event_names.indexOf(event.digit);
  // Volume: -10 dBm0, as phones commonly send.
  packet[own_payload_start + 1] = (event.end ? 0x80 : 0) | 10;
  packet.writeUInt16BE(event.duration, own_payload_start + 2);
  return packet;
}
