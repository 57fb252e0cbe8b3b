// Composes a waiting email before it is claimed: while the storage cannot be read it keeps waiting, and no limit is used up.
import type { ComposedMail } from '../../../../providers/mail/transport.ts';
import type { GuardedTransport } from '../../../rules/admission/index.ts';
import { FileMissing } from '../send/message/outgoing-message.ts';
import type { UncomposedMail } from '../send/message/with-message.ts';

export type PreparedMail = {
  outgoing: UncomposedMail;
  /** Call it at the end, in case the message was not handed over. */
  dispose(): Promise<void>;
};

/** A file that does not exist any more is reported at the hand-over, which ends the email. */
export async function composeWaitingEmail(
  { capabilities }: Pick<GuardedTransport, 'capabilities'>,
  { mail, compose }: UncomposedMail,
): Promise<PreparedMail> {
  const composed: { message: ComposedMail | FileMissing | null } = {
    message: capabilities.simulated ? null : await compose().catch(onlyMissing),
  };
  const take = async (): Promise<ComposedMail> => {
    const { message } = composed;
    if (message instanceof FileMissing) throw message;
    composed.message = null;
    return message!;
  };
  return {
    outgoing: { mail, compose: take },
    async dispose() {
      if (composed.message && !(composed.message instanceof FileMissing)) await composed.message.dispose();
    },
  };
}

function onlyMissing(error: unknown): FileMissing {
  if (error instanceof FileMissing) return error;
  throw error;
}
