// Session descriptions (RFC 4566, RFC 3264) for one G.711 stream with telephone events: writes ours, reads the other side's.
import { isIP, isIPv6 } from 'node:net';
import type { Codec } from '../../../protocols/audio/g711.ts';
import {
  answeredCryptoLine,
  type CryptoLine,
  pairedKeys,
  readCryptoLine,
  type SrtpMode,
  writeCryptoLine,
} from './crypto-lines.ts';
import type { RtpTarget } from './rtp/session.ts';

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

const static_payload_types: Record<Codec, number> = { PCMU: 0, PCMA: 8 };
const own_digits_payload_type = 101;

export type Description = Omit<RtpTarget, 'srtp'> & {
  direction: Direction;
  /** Their key; null where the stream is not encrypted. */
  crypto: CryptoLine | null;
};

/** With `answer_to` it is the answer to that offer; without it, it is our offer. */
export function writeSdp(options: {
  address: string;
  port: number;
  session_id: number;
  version: number;
  answer_to?: Description;
  /** Our keys; none: the stream is not encrypted. */
  crypto?: readonly CryptoLine[];
}): string {
  const { address, port, session_id, version, answer_to, crypto = [] } = options;
  const family = isIPv6(address) ? 'IP6' : 'IP4';
  const codecs: [Codec, number][] = answer_to
    ? [[answer_to.codec, answer_to.payload_type]]
    : [
        ['PCMU', static_payload_types.PCMU],
        ['PCMA', static_payload_types.PCMA],
      ];
  const digits = answer_to ? answer_to.digits_payload_type : own_digits_payload_type;
  const types = [...codecs.map(([, type]) => type), ...(digits === null ? [] : [digits])];
  return [
    'v=0',
    `o=- ${session_id} ${version} IN ${family} ${address}`,
    's=-',
    `c=IN ${family} ${address}`,
    't=0 0',
    `m=audio ${port} RTP/${crypto.length > 0 ? 'SAVP' : 'AVP'} ${types.join(' ')}`,
    ...crypto.map(writeCryptoLine),
    ...codecs.map(([name, type]) => `a=rtpmap:${type} ${name}/8000`),
    ...(digits === null ? [] : [`a=rtpmap:${digits} telephone-event/8000`, `a=fmtp:${digits} 0-15`]),
    'a=ptime:20',
    `a=${answer_to ? mirrored[answer_to.direction] : 'sendrecv'}`,
    '',
  ].join('\r\n');
}

const mirrored: Record<Direction, Direction> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/**
 * The first audio stream with the first codec that we support; null when there is none, or when `srtp` does not allow it as
 * it is.
 */
export function readSdp(text: string, srtp: SrtpMode = 'off'): Description | null {
  const lines = text.split(/\r?\n/).slice(0, 500);
  const audio_at = lines.findIndex((line) => line.startsWith('m=audio '));
  if (audio_at === -1) return null;
  const audio_length = lines.slice(audio_at + 1).findIndex((line) => line.startsWith('m='));
  const audio = lines.slice(audio_at, audio_length === -1 ? undefined : audio_at + 1 + audio_length);
  const first_media = lines.findIndex((line) => line.startsWith('m='));
  const session = lines.slice(0, first_media);

  const media = /^m=audio (\d{1,5})(?:\/\d+)? RTP\/(S?)AVP ([\d ]{1,200})$/.exec(audio[0]!.trimEnd());
  const connection = find(audio, /^c=IN IP[46] (\S+)/) ?? find(session, /^c=IN IP[46] (\S+)/);
  if (!media || connection === null || isIP(connection) === 0) return null;
  const is_encrypted = media[2] !== '';
  const crypto = is_encrypted ? readCryptoLine(audio) : null;
  if (srtp === (is_encrypted ? 'off' : 'required') || (is_encrypted && !crypto)) return null;
  const port = Number(media[1]);
  if (port === 0 || port > 65_535) return null;

  const names = new Map<number, string>([
    [0, 'PCMU/8000'],
    [8, 'PCMA/8000'],
  ]);
  for (const line of audio) {
    const [, type, name] = /^a=rtpmap:(\d{1,3}) (\S+)/.exec(line) ?? [];
    if (type && name) names.set(Number(type), name.toUpperCase().replace(/\/1$/, ''));
  }
  const offered = media[3]!.trim().split(/ +/).map(Number);
  const codec_type = offered.find((type) => codecNamed(names.get(type)) !== null);
  if (codec_type === undefined) return null;
  const digits_type = offered.find((type) => names.get(type) === 'TELEPHONE-EVENT/8000');
  const direction = (find(audio, directions) ?? find(session, directions) ?? 'sendrecv') as Direction;
  // Old devices put a call on hold with an address of zeros (RFC 2543).
  const is_zero_address = connection === '0.0.0.0' || connection === '::';
  return {
    address: connection,
    port,
    codec: codecNamed(names.get(codec_type))!,
    payload_type: codec_type,
    digits_payload_type: digits_type ?? null,
    direction: is_zero_address ? 'inactive' : direction,
    ...reportsPort(audio),
    held: is_zero_address || direction !== 'sendrecv',
    crypto,
  };
}

/** Where reports go when not to the port after that of the audio (RFC 3605); another host than that of the audio gets none. */
function reportsPort(audio: readonly string[]): { reports_port?: number } {
  const port = find(audio, /^a=rtcp:(\d{1,5})\s*$/);
  if (port !== null) return { reports_port: Number(port) };
  return audio.some((line) => line.startsWith('a=rtcp:')) ? { reports_port: 0 } : {};
}

const directions = /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/;

function codecNamed(name: string | undefined): Codec | null {
  if (name === 'PCMU/8000') return 'PCMU';
  return name === 'PCMA/8000' ? 'PCMA' : null;
}

function find(lines: readonly string[], pattern: RegExp): string | null {
  for (const line of lines) {
    const value = pattern.exec(line)?.[1];
    if (value !== undefined) return value;
  }
  return null;
}

/** An offer of theirs with what we answer to it; `earlier`: our keys of the running call. */
export function readOffer(
  text: string,
  srtp: SrtpMode,
  earlier: readonly CryptoLine[] = [],
): { offer: Description; crypto: CryptoLine[]; target: RtpTarget } | null {
  const offer = readSdp(text, srtp);
  if (!offer) return null;
  const crypto = offer.crypto ? [answeredCryptoLine(offer.crypto, earlier)] : [];
  const target = withKeys(offer, crypto);
  return target && { offer, crypto, target };
}

/** Their answer to an offer of ours with these keys: encrypted exactly when the offer was. */
export function readAnswer(text: string, offered: readonly CryptoLine[]): RtpTarget | null {
  const answer = readSdp(text, offered.length > 0 ? 'required' : 'off');
  return answer && withKeys(answer, offered);
}

function withKeys({ crypto, ...stream }: Description, ours: readonly CryptoLine[]): RtpTarget | null {
  if (!crypto) return stream;
  const srtp = pairedKeys(crypto, ours);
  return srtp ? { ...stream, srtp } : null;
}
