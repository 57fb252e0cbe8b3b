// The errors of credentials: what they may not issue, and how many there may be.
import { defineErrors } from '../../error-definition.ts';

export const credentialErrors = defineErrors({
  operator_session_needed: {
    status: 403,
    message: 'This needs the shared key or a recent console session of a superadmin.',
    when: 'Another credential was used to issue a key with the scope admin, to make a person a superadmin, or to create a password link.',
    fix: 'Use the shared key, or sign in to the console again and do it there.',
  },
  credential_cannot_issue: {
    status: 403,
    message:
      'An OAuth token granted to a program cannot issue keys or change the members of the organization.',
    when: 'An OAuth access token was used to issue a key, to invite a person, or to change or remove a member.',
    fix: 'Do it in the console. An API key can do it too, except invite a person and give a member more rights.',
  },
  too_many_keys: {
    status: 409,
    message: 'The organization has reached its limit of keys.',
    when: 'The number of unexpired keys reached the limit of the server (PARLEY_KEYS_PER_ORGANIZATION).',
    fix: 'Revoke keys that are no longer used (GET /v1/api-keys shows when each was last used), or ask the operator to raise the limit.',
  },
  outlives_credential: {
    status: 403,
    message: 'A key cannot expire later than the credential that creates it.',
    when: 'The credential of the request expires, and the new key would expire later or never.',
    fix: 'Send an expires_at that is not later than the expiry of your own credential, or create the key in the console.',
  },
});
