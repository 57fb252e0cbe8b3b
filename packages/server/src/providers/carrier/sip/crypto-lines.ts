// The keys of a call in session descriptions (SDES, RFC 4568): reads and writes `a=crypto`, and pairs ours with theirs.
import { randomBytes } from 'node:crypto';
import { master_key_bytes, type SrtpKeys, type SrtpSuite, srtp_suites } from './rtp/srtp.ts';

/** `optional`: calls of others may be encrypted or not, and ours are tried encrypted first. */
export type SrtpMode = 'off' | 'optional' | 'required';

export type CryptoLine = { tag: number; suite: SrtpSuite; key: Buffer };

const attribute =
  /^a=crypto:(\d{1,9})[ \t]+(\S{1,64})[ \t]+inline:([A-Za-z0-9+/=]{40})(?:\|2\^\d{1,2}|\|\d{1,15})?[ \t]*(.*)$/;
/** A hint about the window for late packets; it asks nothing of us. */
const harmless_parameters = /^(?:WSH=\d+[ \t]*)?$/;

const isSuite = (name: string): name is SrtpSuite => Object.hasOwn(srtp_suites, name);

/** The first line that we can serve: no key identifiers (MKI), one key, and no other session parameters. */
export function readCryptoLine(lines: readonly string[]): CryptoLine | null {
  for (const line of lines) {
    const [, tag, suite, inline, parameters] = attribute.exec(line.trimEnd()) ?? [];
    if (tag === undefined || !isSuite(suite!) || !harmless_parameters.test(parameters!)) continue;
    const key = Buffer.from(inline!, 'base64');
    if (key.length === master_key_bytes) return { tag: Number(tag), suite: suite!, key };
  }
  return null;
}

export const writeCryptoLine = ({ tag, suite, key }: CryptoLine): string =>
  `a=crypto:${tag} ${suite} inline:${key.toString('base64')}`;

const newLine = (tag: number, suite: SrtpSuite): CryptoLine => ({
  tag,
  suite,
  key: randomBytes(master_key_bytes),
});

export const offeredCryptoLines = (): CryptoLine[] => [
  newLine(1, 'AES_CM_128_HMAC_SHA1_80'),
  newLine(2, 'AES_CM_128_HMAC_SHA1_32'),
];

/** Our line for theirs. In a running call our key stays, so that our counters go on. */
export function answeredCryptoLine(theirs: CryptoLine, earlier: readonly CryptoLine[]): CryptoLine {
  const same = earlier.find(({ suite }) => suite === theirs.suite);
  return same ? { ...same, tag: theirs.tag } : newLine(theirs.tag, theirs.suite);
}

/** Undefined when their line is for none of ours. */
export function pairedKeys(theirs: CryptoLine, ours: readonly CryptoLine[]): SrtpKeys | undefined {
  const own_line = ours.find(({ tag, suite }) => tag === theirs.tag && suite === theirs.suite);
  return own_line && { suite: own_line.suite, send: own_line.key, receive: theirs.key };
}
