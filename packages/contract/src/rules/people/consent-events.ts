// The events of consents.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import {
  Consent,
  consentChannels,
  consentExample,
  RevokedBy,
  SuspectedRevocation,
  suspicionExample,
} from './consents.ts';

const { shape } = Consent;
const ConsentRecordedData = z
  .strictObject({
    id: Uuid.describe('The id of the consent.'),
    recipient: z.string(),
    channels: shape.channels,
    purposes: shape.purposes,
    basis: shape.basis,
    expires_at: shape.expires_at,
  })
  .meta({ id: 'ConsentRecordedData' });

const ConsentRevokedData = z
  .strictObject({
    id: Uuid.describe('The id of the revocation, or of the consent that was revoked over the API.'),
    recipient: z
      .string()
      .describe('The number or address; of a person who is being erased its hash, as in party_hashes.'),
    channels: z.array(z.enum(consentChannels)).describe('Where the person must not be contacted any more.'),
    revoked_by: RevokedBy,
    revoked_at: Timestamp,
  })
  .meta({ id: 'ConsentRevokedData' });

const RevocationSuspectedData = SuspectedRevocation.pick({
  id: true,
  recipient: true,
  channel: true,
  item_id: true,
  suspected_at: true,
}).meta({ id: 'RevocationSuspectedData' });

const { id, recipient, channels, purposes, basis, expires_at } = consentExample;
export const consentEvents = defineEvents({
  'consent.recorded': {
    meaning: 'A consent was recorded.',
    data: ConsentRecordedData,
    example: { id, recipient, channels, purposes, basis, expires_at },
  },
  'consent.revoked': {
    meaning:
      'A person revoked consent: with STOP, by unsubscribing, by a complaint or in a call; or a consent was revoked over the API. With stop_scope all, one event for each number and address.',
    data: ConsentRevokedData,
    example: {
      id,
      recipient,
      channels,
      revoked_by: {
        kind: 'keyword',
        item_id: '019a8c1e-7081-7293-84a5-1f2031425364',
        conversation_id: null,
        quote: null,
      },
      revoked_at: '2026-06-07T12:00:00.000Z',
    },
  },
  'consent.revocation_suspected': {
    meaning:
      'A person wrote something that resembles a refusal. Agents do not answer there until a person decides.',
    data: RevocationSuspectedData,
    example: {
      id: suspicionExample.id,
      recipient: suspicionExample.recipient,
      channel: suspicionExample.channel,
      item_id: suspicionExample.item_id,
      suspected_at: suspicionExample.suspected_at,
    },
  },
});
