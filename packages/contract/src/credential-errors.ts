// What credentials are refused for: what they may not issue, and how many of them there may be.
import { defineErrors } from './error-definition.ts';

export const credentialErrors = defineErrors({
  operator_session_needed: {
    status: 403,
    message: 'This needs the shared key or a fresh console session of a superadmin.',
    when: 'Another credential wants to issue a key with the scope admin, to make a superadmin, or to make a password link.',
    fix: 'Use the shared key, or sign in to the console again and do it there.',
  },
  credential_cannot_issue: {
    status: 403,
    message:
      'A token that was granted to a program cannot issue keys or change who belongs to the organization.',
    when: 'An OAuth access token was used to issue a key, to invite somebody, or to change or remove a member.',
    fix: 'Do it in the console, or with an API key.',
  },
  too_many_keys: {
    status: 409,
    message: 'The organization has as many keys as it may have.',
    when: 'The number of keys that are not expired reached the limit of the server (PARLEY_KEYS_PER_ORGANIZATION).',
    fix: 'Revoke keys that are no longer used (GET /v1/api-keys shows when each was last used), or have the limit raised.',
  },
  outlives_credential: {
    status: 403,
    message: 'A key may not live longer than the credential that issues it.',
    when: 'The credential of the request expires, and the new key would expire later or never.',
    fix: 'Give an expires_at that is no later than the end of your own credential, or issue the key in the console.',
  },
});
