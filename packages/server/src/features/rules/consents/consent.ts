// What the parts of the consents feature share: the key of a recipient, and the names of the channels.
import type { Channel } from '@parley/contract/access/admin';
import type { Purpose } from '@parley/contract/rules/approvals/hold';
import type { Consent, ConsentChannel } from '@parley/contract/rules/people/consents';
import { addressKey } from '@parley/contract/schema/mailbox';

export type NewConsent = Omit<Consent, 'status' | 'revoked_channels' | 'revoked_at' | 'revoked_by'>;

/** What must be found for one recipient. */
export type ConsentQuery = {
  organization_id: string;
  recipient_key: string;
  channel: ConsentChannel;
  purpose: Purpose;
};

/** Two spellings of one address are the same recipient. */
export const recipientKey = (recipient: string): string =>
  recipient.startsWith('+') ? recipient : addressKey(recipient);

const consent_channels: Record<Channel, ConsentChannel> = { calls: 'call', emails: 'email', sms: 'sms' };
export const consentChannelOf = (channel: Channel): ConsentChannel => consent_channels[channel];
