// Creates a self-signed certificate (X.509 v3, P-256), so that STARTTLS works before the operator configures one.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const tagged = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? Buffer.from([body.length])
      : body.length < 256
        ? Buffer.from([0x81, body.length])
        : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
};
const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts);
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const generalizedTime = (date: Date) =>
  tagged(0x18, Buffer.from(date.toISOString().replaceAll(/[-:T]|\.\d{3}/g, '')));

const ecdsa_with_sha256 = sequence(oid('2a8648ce3d040302'));
const common_name = oid('550403');
const subject_alt_name = oid('551d11');

export function selfSignedCertificate(options: { host: string; now: Date; days: number }): {
  key: string;
  cert: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = randomBytes(16);
  // A serial number must be positive (RFC 5280 section 4.1.2.2), and DER allows no leading zero byte.
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const name = sequence(
    tagged(0x31, sequence(common_name, tagged(0x0c, Buffer.from(options.host.slice(0, 64))))),
  );
  const until = new Date(options.now.getTime() + options.days * 86_400_000);
  const alternative = tagged(0x04, sequence(tagged(0x82, Buffer.from(options.host))));
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    ecdsa_with_sha256,
    name,
    sequence(generalizedTime(options.now), generalizedTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(subject_alt_name, alternative))),
  );
  const signature = tagged(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const der = sequence(content, ecdsa_with_sha256, signature);
  const lines = der.toString('base64').match(/.{1,64}/g)!;
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
