// What the states of all kinds have in common.
import type { RegistrationState } from '../../registration.ts';

/** A known state; what is not given is empty. */
export const known = (
  state: RegistrationState['state'],
  more: Partial<RegistrationState> = {},
): { outcome: 'known' } & RegistrationState => ({
  outcome: 'known',
  state,
  problems: [],
  waiting_for: null,
  editable_until: null,
  expires_at: null,
  ready_to_advance: false,
  ...more,
});
