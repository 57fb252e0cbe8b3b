// What managed mode can refuse: membership, roles, limits, funds and provider settings.
import { defineErrors } from './error-definition.ts';

export const managedErrors = defineErrors({
  insufficient_funds: {
    status: 402,
    message: 'The balance does not cover this.',
    when: 'The server charges for what is used, and the organization has too little left.',
    fix: 'Have the organization credited; GET /v1/funds shows the balance.',
  },
  user_not_provisioned: {
    status: 403,
    message: 'user not provisioned',
    when: 'The credential belongs to a person who is a member of no organization, or no longer of this one.',
    fix: 'Ask an owner or admin of the organization for an invitation.',
  },
  organization_not_named: {
    status: 403,
    message: 'The token does not say which organization it is for.',
    when: 'The JWT belongs to a member of several organizations and has no organization_id claim that names one of them.',
    fix: 'Get a token with the claim organization_id, or use an API key of the organization.',
  },
  no_user: {
    status: 403,
    message: 'This credential stands for no person.',
    when: 'The shared key was used for something that belongs to a person, such as an API key.',
    fix: 'Use POST /v1/admin/organizations/{organization_id}/api-keys, or the credential of a member.',
  },
  role_too_low: {
    status: 403,
    message: 'Your role does not allow that.',
    when: 'A member, or an admin where an owner is needed, wants to change the people of the organization.',
    fix: 'Ask an owner of the organization.',
  },
  address_not_verified: {
    status: 403,
    message: 'The address of this account was never proven.',
    when: 'A membership or the superadmin flag would be given to an account whose owner has not shown that the address is theirs.',
    fix: 'Have the person sign up with the address and type the code from the mail, or add them as a member.',
  },
  member_exists: {
    status: 409,
    message: 'This person is already a member.',
    when: 'A member of the organization has the same email address.',
    fix: 'Change the role of the member instead.',
  },
  last_owner: {
    status: 409,
    message: 'An organization needs an owner.',
    when: 'The only owner would be removed or get another role.',
    fix: 'Make another member an owner first.',
  },
  external_subject_taken: {
    status: 409,
    message: 'This external_subject belongs to another person.',
    when: 'Another person is known under the same sub claim, or this person under another.',
    fix: 'Check the sub claim of the token.',
  },
  signs_in_elsewhere: {
    status: 409,
    message: 'This person signs in through the outside issuer.',
    when: 'A password is to be set for a person with an external_subject who has none.',
    fix: 'Have them sign in at the issuer, or add the address as another member without external_subject.',
  },
  unknown_provider: {
    status: 422,
    message: 'This server does not know that provider.',
    when: 'No provider of this name exists in the layer.',
    fix: 'Use one of "known" in GET /v1/providers.',
  },
  velocity_capped: {
    status: 429,
    message: 'The organization sent too much in this hour.',
    when: 'The organization reached its cap of calls, emails or texts an hour.',
    fix: 'Wait for the number of seconds in Retry-After, or have the cap raised.',
  },
  kill_switch: {
    status: 429,
    message: 'This channel is stopped for everybody.',
    when: 'The operator of the service stopped new calls, emails or texts.',
    fix: 'Try again later; nothing is wrong with the request.',
  },
  system_mail_not_configured: {
    status: 503,
    message: 'This server cannot send mail to prove an address.',
    when: 'An account, an address or a new password needs a mail, and the server has no mail transport.',
    fix: 'Set PARLEY_SMTP_URL (or another PARLEY_MAIL_TRANSPORT) and restart; until then the operator makes password links with POST /v1/admin/users/{user_id}/password-links.',
  },
  issuer_unavailable: {
    status: 503,
    message: 'The issuer of the token cannot be reached right now.',
    when: 'The public keys of the configured issuer of JWTs cannot be read.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
});
