// Composes a message and hands it to the transport. The transport gets finished bytes and calls nothing back.
import type { ComposedMail, OutgoingMail, SendOutcome } from '../../../providers/mail/transport.ts';
import type { Admitted, GuardedTransport } from '../../admission/index.ts';

export type UncomposedMail = {
  mail: Omit<OutgoingMail, 'message'>;
  compose(): Promise<ComposedMail>;
};

/** A simulated transport sends no bytes, so nothing is composed or signed for it. */
export async function sendComposed(
  transport: GuardedTransport,
  { mail, compose }: UncomposedMail,
  admitted: Admitted,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const message = transport.capabilities.simulated ? null : await compose();
  try {
    return await transport.send({ ...mail, message }, admitted, signal);
  } finally {
    await message?.dispose();
  }
}
