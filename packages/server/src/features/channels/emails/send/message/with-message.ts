// Composes a message for the duration of its hand-over. The transport gets finished bytes and calls nothing back.
import type { ComposedMail, OutgoingMail, SendOutcome } from '../../../../../providers/mail/transport.ts';
import type { GuardedTransport } from '../../../../rules/admission/index.ts';

export type UncomposedMail = {
  mail: Omit<OutgoingMail, 'message'>;
  compose(): Promise<ComposedMail>;
};

/** A simulated transport sends no bytes, so nothing is composed or signed for it. */
export async function withMessage(
  transport: Pick<GuardedTransport, 'capabilities'>,
  { mail, compose }: UncomposedMail,
  send: (mail: OutgoingMail) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  const message = transport.capabilities.simulated ? null : await compose();
  try {
    return await send({ ...mail, message });
  } finally {
    await message?.dispose();
  }
}
