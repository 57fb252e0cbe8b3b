// What a person said when they wanted no more contact.
import type { ConsentChannel, RevokedBy } from '@parley/contract/rules/people/consents';

export type Refusal = {
  organization_id: string;
  /** The number or address of the person. */
  recipient: string;
  /** Where the person said it. */
  channel: ConsentChannel;
  revoked_by: Pick<RevokedBy, 'kind' | 'item_id'> & Partial<RevokedBy>;
  /** The person refused every contact, so it reaches further than the rules of the organization may say. */
  is_for_all?: boolean;
};
