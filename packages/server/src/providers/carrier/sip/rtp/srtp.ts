// SRTP (RFC 3711) for one stream: AES-128 in counter mode with HMAC-SHA1 tags, roll-over counters and a replay window.
import {
  type Cipheriv,
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

/** The names of SDES (RFC 4568 section 6.2), and how many bytes of the tag each packet has. */
export const srtp_suites = { AES_CM_128_HMAC_SHA1_80: 10, AES_CM_128_HMAC_SHA1_32: 4 } as const;
export type SrtpSuite = keyof typeof srtp_suites;

/** 16 bytes of key and 14 of salt. */
export const master_key_bytes = 30;

export type SrtpKeys = { suite: SrtpSuite; send: Buffer; receive: Buffer };

const header_bytes = 12;
const replay_window = 64;
/** A sender may change its SSRC. Each keeps its own window, or its old packets could be sent again after the change. */
const max_sources = 8;

type SessionKeys = { cipher: Cipheriv; auth: KeyObject; salt: Buffer };

function sessionKeys(master: Buffer): SessionKeys {
  const derive = (label: number, length: number): Buffer => {
    const iv = Buffer.alloc(16);
    master.copy(iv, 0, 16, master_key_bytes);
    iv[7] = iv[7]! ^ label;
    return createCipheriv('aes-128-ctr', master.subarray(0, 16), iv).update(Buffer.alloc(length));
  };
  // One cipher for all packets: it encrypts the counters, so that no packet has to set up a key.
  const cipher = createCipheriv('aes-128-ecb', derive(0, 16), null).setAutoPadding(false);
  return { cipher, auth: createSecretKey(derive(1, 20)), salt: derive(2, 14) };
}

let counters = Buffer.alloc(0);

/** Encrypts or decrypts the bytes from `start` on, in place. `index`: roll-over counter and sequence number. */
function applyKeyStream({ cipher, salt }: SessionKeys, packet: Buffer, start: number, index: number): void {
  const blocks = Math.ceil((packet.length - start) / 16);
  if (blocks === 0) return;
  if (counters.length < blocks * 16) counters = Buffer.alloc(blocks * 16);
  salt.copy(counters, 0);
  for (let byte = 0; byte < 4; byte++) counters[4 + byte] = counters[4 + byte]! ^ packet[8 + byte]!;
  let rest = index;
  for (let byte = 13; byte >= 8; byte--) {
    counters[byte] = counters[byte]! ^ (rest % 256);
    rest = Math.floor(rest / 256);
  }
  for (let block = 0; block < blocks; block++) {
    if (block > 0) counters.copy(counters, block * 16, 0, 14);
    counters.writeUInt16BE(block, block * 16 + 14);
  }
  const stream = cipher.update(counters.subarray(0, blocks * 16));
  for (let at = start; at < packet.length; at++) packet[at] = packet[at]! ^ stream[at - start]!;
}

const roll_over = Buffer.alloc(4);

function tagOf({ auth }: SessionKeys, packet: Buffer, index: number): Buffer {
  roll_over.writeUInt32BE(Math.floor(index / 0x1_0000) % 0x1_0000_0000);
  return createHmac('sha1', auth).update(packet).update(roll_over).digest();
}

/** Where the encrypted part begins: after the contributing sources and the header extension. -1: not a packet. */
function payloadStart(packet: Buffer): number {
  if (packet.length < header_bytes || packet[0]! >> 6 !== 2) return -1;
  const start = header_bytes + (packet[0]! & 0x0f) * 4;
  if ((packet[0]! & 0x10) === 0) return start <= packet.length ? start : -1;
  if (start + 4 > packet.length) return -1;
  const end = start + 4 + packet.readUInt16BE(start + 2) * 4;
  return end <= packet.length ? end : -1;
}

type Source = { highest: number; seen: Float64Array };

export type SrtpSender = ReturnType<typeof srtpSender>;

/** One key must have one sender as long as it is used: a counter that begins again would betray the audio. */
export function srtpSender(suite: SrtpSuite, key: Buffer) {
  const tag_bytes = srtp_suites[suite];
  const keys = sessionKeys(key);
  let last_sequence = -1;
  let roll_overs = 0;
  return {
    isFor: (other: SrtpKeys) => other.suite === suite && other.send.equals(key),
    /** The packet that goes over the network; the plain one may be used again. */
    protect(plain: Buffer): Buffer {
      const packet = Buffer.allocUnsafe(plain.length + tag_bytes);
      plain.copy(packet);
      const body = packet.subarray(0, plain.length);
      const sequence = body.readUInt16BE(2);
      if (sequence < last_sequence) roll_overs++;
      last_sequence = sequence;
      const index = roll_overs * 0x1_0000 + sequence;
      applyKeyStream(keys, body, header_bytes, index);
      tagOf(keys, body, index).copy(packet, plain.length, 0, tag_bytes);
      return packet;
    },
  };
}

export type SrtpReceiver = ReturnType<typeof srtpReceiver>;

export function srtpReceiver(suite: SrtpSuite, key: Buffer) {
  const tag_bytes = srtp_suites[suite];
  const keys = sessionKeys(key);
  const sources = new Map<number, Source>();
  return {
    isFor: (other: SrtpKeys) => other.suite === suite && other.receive.equals(key),
    /** The plain packet, in the same memory; null for one that is forged, repeated or too old. */
    unprotect(packet: Buffer): Buffer | null {
      const body = packet.subarray(0, Math.max(0, packet.length - tag_bytes));
      const start = payloadStart(body);
      if (start === -1) return null;
      const ssrc = body.readUInt32BE(8);
      const source = sources.get(ssrc) ?? null;
      const sequence = body.readUInt16BE(2);
      const index = source ? nearestIndex(source.highest, sequence) : sequence;
      if (index < 0 || (source && isRepeated(source, index))) return null;
      const tag = tagOf(keys, body, index).subarray(0, tag_bytes);
      if (!timingSafeEqual(tag, packet.subarray(body.length))) return null;
      if (!source && sources.size === max_sources) return null;
      remember(sources, ssrc, source, index);
      applyKeyStream(keys, body, start, index);
      return body;
    },
  };
}

/** The roll-over counter is not sent: it is the one that brings the packet nearest to the highest so far (section 3.3.1). */
function nearestIndex(highest: number, sequence: number): number {
  const roll_overs = Math.floor(highest / 0x1_0000);
  const last = highest % 0x1_0000;
  if (last < 0x8000) return (sequence - last > 0x8000 ? roll_overs - 1 : roll_overs) * 0x1_0000 + sequence;
  return (last - 0x8000 > sequence ? roll_overs + 1 : roll_overs) * 0x1_0000 + sequence;
}

const isRepeated = ({ highest, seen }: Source, index: number) =>
  index <= highest - replay_window || seen[index % replay_window] === index;

function remember(sources: Map<number, Source>, ssrc: number, source: Source | null, index: number): void {
  const current = source ?? { highest: index, seen: new Float64Array(replay_window).fill(-1) };
  if (!source) sources.set(ssrc, current);
  if (index > current.highest) current.highest = index;
  current.seen[index % replay_window] = index;
}
