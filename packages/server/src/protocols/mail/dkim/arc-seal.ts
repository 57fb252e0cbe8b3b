// Adds an ARC seal (RFC 8617) to a forwarded message, so that the next server can trust our authentication results.
import { isVerifiable } from './verifiable.ts';
import { fieldsOf } from './verify.ts';

export type SealOptions = {
  domain: string;
  selector: string;
  /** PKCS #8 in PEM. */
  private_key: string;
  authentication_results: string;
  arc: 'none' | 'pass' | 'fail';
};

/** Returns the header fields of the seal. Empty for a hostile header that would take too long to hash. */
export async function seal(raw: Buffer, body_start: number, options: SealOptions): Promise<Uint8Array> {
  const { all } = fieldsOf(raw.toString('latin1', 0, body_start));
  if (!isVerifiable(all)) return new Uint8Array();
  const { sealMessage } = await import('mailauth/lib/arc/index.js');
  const sealed = await sealMessage(raw, {
    signingDomain: options.domain,
    selector: options.selector,
    privateKey: options.private_key,
    authResults: options.authentication_results,
    ...(options.arc === 'none' ? {} : { cv: options.arc }),
  });
  return new Uint8Array(sealed);
}
