// Translates Telnyx's words for the state of a registration to ours. Pure tables; an unknown word is reported as unclear.
import type { RegistrationState } from '../../registration.ts';

export type Meaning = Pick<RegistrationState, 'state' | 'waiting_for'>;

const submitted: Meaning = { state: 'submitted', waiting_for: null };
const in_review: Meaning = { state: 'in_review', waiting_for: null };
const approved: Meaning = { state: 'approved', waiting_for: null };
const rejected: Meaning = { state: 'rejected', waiting_for: null };

type Table = Readonly<Record<string, Meaning | undefined>>;

export const group_states: Table = {
  // Made, but not submitted: only a group from Telnyx's console can be in this state.
  unapproved: { state: 'submitted', waiting_for: 'you' },
  'pending-approval': in_review,
  approved,
  declined: rejected,
  expired: rejected,
};

/** By the status, and for `OK` by the status of the identity. */
export const brand_states: Table = {
  REGISTRATION_PENDING: in_review,
  REGISTRATION_FAILED: rejected,
  'OK VERIFIED': approved,
  'OK VETTED_VERIFIED': approved,
  'OK UNVERIFIED': rejected,
  'OK SELF_DECLARED': { state: 'in_review', waiting_for: 'contact' },
};

export const campaign_states: Table = {
  TCR_PENDING: submitted,
  TCR_ACCEPTED: in_review,
  TELNYX_ACCEPTED: in_review,
  MNO_PENDING: in_review,
  MNO_ACCEPTED: in_review,
  MNO_PROVISIONED: approved,
  TCR_FAILED: rejected,
  TELNYX_FAILED: rejected,
  MNO_REJECTED: rejected,
  MNO_PROVISIONING_FAILED: rejected,
  TCR_SUSPENDED: rejected,
  TCR_EXPIRED: rejected,
  DORMANT: rejected,
};

/** Telnyx reviews a campaign again after an appeal only in these states. */
export const appealable = new Set(['TELNYX_FAILED', 'MNO_REJECTED']);

export const toll_free_states: Table = {
  'In Progress': in_review,
  'Waiting For Telnyx': in_review,
  'Waiting For Vendor': in_review,
  'Waiting For Customer': rejected,
  Verified: approved,
  Rejected: rejected,
};
