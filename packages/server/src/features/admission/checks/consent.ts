// Check 4: why the recipient may be contacted. Requests without recipient_consent are refused when they are read, and a
// revocation is a suppression; a ledger of consents is asked here.
import type { Check } from '../admission.ts';

export const consentCheck: Check = {
  name: 'consent',
  ask: (_, { consent }) => ({ outcome: consent === 'service' ? 'skip' : 'allow' }),
};
