// The proof that a hand-over was admitted. Providers need it, and only admission issues it.
import type { Channel } from '@parley/contract/access/admin';

declare const admitted: unique symbol;
/** Cannot be built elsewhere: only `admit('hand_over', …)` returns one. */
export type Admitted = { readonly [admitted]: Channel };

type Terms = { channel: Channel; recipients: readonly string[] };
const issued = new WeakMap<object, Terms>();

export function issueProof(channel: Channel, recipients: readonly string[]): Admitted {
  const proof = {} as Admitted;
  issued.set(proof, { channel, recipients });
  return proof;
}

/** Throws unless the proof is valid, unused, and for this channel and these recipients: a bug must not bypass the checks. */
export function redeemProof(proof: Admitted, channel: Channel, recipients: readonly string[] | null): void {
  const terms = issued.get(proof);
  if (!terms) throw new Error(`${channel}: not admitted, or already handed over`);
  issued.delete(proof);
  if (terms.channel !== channel) throw new Error(`${channel}: admitted for ${terms.channel}`);
  if (recipients !== null && !recipients.every((recipient) => terms.recipients.includes(recipient))) {
    throw new Error(`${channel}: admitted for other recipients`);
  }
}
