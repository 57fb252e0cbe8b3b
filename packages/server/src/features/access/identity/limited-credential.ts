// A credential of a person that gets default limits when it is made, and who gives it these.
import type { Transaction } from '../../../platform/db/database.ts';

export type LimitedCredential = {
  organization_id: string;
  user_id: string;
  kind: 'api_key' | 'oauth_grant';
  id: string;
};

export type CredentialLimits = {
  /** Part of the transaction that creates the credential. */
  addDefaults(tx: Transaction, credential: LimitedCredential): Promise<void>;
  /** For a credential that another library creates: called when it is used, and before it can be used. */
  ensureDefaults(credential: LimitedCredential): Promise<void>;
};
