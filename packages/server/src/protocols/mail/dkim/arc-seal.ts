// Seals a message that is passed on (ARC, RFC 8617), so that the next server can believe what we found. Runs in a thread.

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

/** The header fields of the seal; empty where the header is made so that a seal would take too long to compute. */
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
