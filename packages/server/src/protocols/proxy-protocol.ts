// The header of the PROXY protocol, versions 1 and 2: the client's address, as a TCP balancer writes it before the client's bytes.
import { isIP, SocketAddress } from 'node:net';

/** `address`: null when the balancer opened the connection itself, or does not say for whom. */
export type ProxyHeader = { length: number; address: string | null };

const v1_start = Buffer.from('PROXY ', 'latin1');
const v1_max_bytes = 107;
const v2_start = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const v2_fixed_bytes = 16;
/** Addresses have 36 bytes at most; the rest are extensions. */
const v2_max_rest_bytes = 2048;
const tcp_over_ipv4 = 0x11;
const tcp_over_ipv6 = 0x21;

const begins = (bytes: Buffer, start: Buffer): boolean => {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
};

/** The header at the start of these bytes. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | 'incomplete' | 'invalid' {
  if (bytes.length === 0) return 'incomplete';
  if (begins(bytes, v1_start)) return readVersion1(bytes);
  return begins(bytes, v2_start) ? readVersion2(bytes) : 'invalid';
}

function readVersion1(bytes: Buffer): ProxyHeader | 'incomplete' | 'invalid' {
  const end = bytes.subarray(0, v1_max_bytes).indexOf('\r\n');
  if (end === -1) return bytes.length < v1_max_bytes ? 'incomplete' : 'invalid';
  const line = bytes.toString('latin1', 0, end);
  const length = end + 2;
  const [, family, source = '', target = '', ...ports] = line.split(' ');
  if (family === 'UNKNOWN') return { length, address: null };
  const version = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : null;
  const arePorts =
    ports.length === 2 && ports.every((port) => /^\d{1,5}$/.test(port) && Number(port) <= 65_535);
  if (version === null || isIP(source) !== version || isIP(target) !== version || !arePorts) return 'invalid';
  return { length, address: plainAddress(source) };
}

function readVersion2(bytes: Buffer): ProxyHeader | 'incomplete' | 'invalid' {
  if (bytes.length < v2_fixed_bytes) return 'incomplete';
  const version_and_command = bytes[12]!;
  const rest_bytes = bytes.readUInt16BE(14);
  const command = version_and_command & 0x0f;
  if (version_and_command >> 4 !== 2 || command > 1 || rest_bytes > v2_max_rest_bytes) return 'invalid';
  const length = v2_fixed_bytes + rest_bytes;
  if (bytes.length < length) return 'incomplete';
  const family = bytes[13]!;
  if (command === 0) return { length, address: null };
  if (family === tcp_over_ipv4)
    return rest_bytes < 12 ? 'invalid' : { length, address: [...bytes.subarray(16, 20)].join('.') };
  if (family !== tcp_over_ipv6) return { length, address: null };
  if (rest_bytes < 36) return 'invalid';
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(16 + 2 * at).toString(16));
  return { length, address: plainAddress(groups.join(':')) };
}

/** In the shortest form; an IPv4 address in IPv6 form is an IPv4 address. */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const short = new SocketAddress({ address, family: 'ipv6' }).address;
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(short) ?? [];
  return ipv4 ?? short;
}
