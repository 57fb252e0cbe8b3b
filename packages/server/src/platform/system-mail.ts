// What features use to write to people in the name of the service, such as codes and links of accounts.
import type { Transaction } from './db/database.ts';

export type SystemMail = {
  /** One plain address, already checked. */
  to: string;
  /** The purpose of the mail, such as verify_address. */
  kind: string;
  subject: string;
  text: string;
  organization_id: string | null;
  /** What the mail is about. A second mail of the same kind with the same reference is not sent. */
  reference: string;
};

export type SystemMailSender = {
  /** Part of the caller's transaction: the mail is sent after its commit. */
  send(tx: Transaction, mail: SystemMail): Promise<void>;
  /** Throws the error that `send` would throw, for callers that must know first. */
  requireTransport(): void;
  /** Whether programs can read mail to this address through this server. No system mail is sent there. */
  isReceivedHere(address: string): Promise<boolean>;
};
