// The errors of managed mode: membership, roles, limits, funds and provider settings.
import { defineErrors } from '../error-definition.ts';

export const managedErrors = defineErrors({
  insufficient_funds: {
    status: 402,
    message: 'The balance is too low.',
    when: 'The server charges for usage, and the available balance of the organization is too low.',
    fix: 'Ask the operator to credit the organization; GET /v1/funds shows the balance.',
  },
  user_not_provisioned: {
    status: 403,
    message: 'user not provisioned',
    when: 'The credential belongs to a person who is not a member of any organization, or no longer of this one.',
    fix: 'Ask an owner or admin of the organization for an invitation.',
  },
  organization_not_named: {
    status: 403,
    message: 'The token does not name an organization.',
    when: 'The JWT belongs to a member of several organizations and has no organization_id claim that names one of them.',
    fix: 'Use a token with the claim organization_id, or an API key of the organization.',
  },
  role_too_low: {
    status: 403,
    message: 'Your role does not allow that.',
    when: 'A member, or an admin where an owner is needed, tried to change the members of the organization.',
    fix: 'Ask an owner of the organization.',
  },
  address_not_verified: {
    status: 403,
    message: 'The email address of this account is not verified.',
    when: 'A membership or the superadmin flag was requested for an account whose email address is not verified.',
    fix: 'Ask the person to sign up with the address and enter the code from the mail, or add them as a member.',
  },
  too_many_organizations: {
    status: 409,
    message: 'You created as many organizations as one person may.',
    when: 'A person who signed up creates one more organization than PARLEY_ORGANIZATIONS_PER_PERSON allows. Organizations that were joined by an invitation do not count.',
    fix: 'Use one of your organizations, or ask the operator of the server to create one and add you.',
  },
  address_received_here: {
    status: 422,
    message: 'This server receives the mail of this address itself.',
    when: 'A member, an invitation, an approver by link or a forward address needs mail with a code or a link at an address whose mail programs can read through this server: on a verified email domain that receives here, or on its service mail domain.',
    fix: 'Use an address of the person at another mail service. If the mail of the domain goes to other hosts, set inbound_enabled to false on the email domain. A superadmin can create a link for a new password.',
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
    when: 'Another person already has this sub claim, or this person has another one.',
    fix: 'Check the sub claim of the token.',
  },
  signs_in_elsewhere: {
    status: 409,
    message: 'This person signs in through the external issuer.',
    when: 'A password was requested for a person who has an external_subject and no password.',
    fix: 'Ask them to sign in at the issuer, or add the address as another member without external_subject.',
  },
  unknown_provider: {
    status: 422,
    message: 'This provider is unknown.',
    when: 'The layer has no provider with this name.',
    fix: 'Use one of "known" in GET /v1/providers.',
  },
  velocity_capped: {
    status: 429,
    message: 'The organization reached its hourly cap.',
    when: 'The organization reached its hourly cap of calls, emails or texts.',
    fix: 'Wait for the number of seconds in Retry-After, or ask the operator to raise the cap.',
  },
  kill_switch: {
    status: 429,
    message: 'A person stopped this channel for the whole service.',
    when: 'The operator of the service stopped new calls, emails or texts with the kill switch.',
    fix: 'Nothing in the request is wrong, and repeating it does not help. Ask the operator when the channel opens; GET /v1/channels shows whether it is open.',
  },
  system_mail_not_configured: {
    status: 503,
    message: 'This server cannot send mail to verify an address.',
    when: 'A sign-up, a new address or a new password needs a mail, and the server has no mail transport.',
    fix: 'Set PARLEY_SMTP_URL (or another PARLEY_MAIL_TRANSPORT) and restart. Until then the operator can create password links with POST /v1/admin/users/{user_id}/password-links.',
  },
  issuer_unavailable: {
    status: 503,
    message: 'The issuer of the token cannot be reached right now.',
    when: 'The public keys of the configured JWT issuer could not be fetched.',
    fix: 'Wait for the number of seconds in Retry-After and send the same request again.',
  },
  cannot_run_again: {
    status: 409,
    message: 'This work cannot run again.',
    when: 'Work that was set aside has a final state, such as a failed text, or its content was removed.',
    fix: 'Delete the entry. Its organization can send a new text.',
  },
});
