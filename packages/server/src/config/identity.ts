// The settings of managed mode: accounts, credentials and external token issuers.
import { choice, integer, list, type SettingsOf, text, url } from '../platform/settings.ts';

export const identitySettings = {
  PARLEY_MANAGED: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning:
      'Managed mode: accounts, organizations, issued keys and JWTs, beside the shared key if one is set.',
  }),
  PARLEY_AUTH_SECRET: text({
    default: null,
    default_note: 'generated at the first start with the embedded database',
    meaning: 'Signs session cookies and encrypts the keys that sign tokens. At least 32 characters.',
    secret: true,
  }),
  PARLEY_SIGN_UP: choice({
    default: 'invitation',
    of: ['invitation', 'open'],
    meaning: 'Who may create an account: people with an invitation, or everyone.',
  }),
  PARLEY_DEVICE_KEY_DAYS: integer({
    default: 90,
    min: 1,
    max: 3650,
    meaning: 'Lifetime of a key from a device login, such as `parley login`.',
  }),
  PARLEY_OAUTH_CLIENT_UNUSED_DAYS: integer({
    default: 90,
    min: 1,
    max: 3650,
    meaning:
      'A self-registered OAuth client is deleted with its grants when it got no token for this long; one that never got any is deleted after a day.',
  }),
  PARLEY_JWT_ISSUER: url({
    default: null,
    protocols: ['http:', 'https:'],
    verbatim: true,
    meaning:
      'An external issuer whose JWTs are accepted in managed mode. Must equal the iss claim exactly, including a trailing slash.',
  }),
  PARLEY_JWT_JWKS_URL: url({
    default: null,
    protocols: ['http:', 'https:'],
    verbatim: true,
    meaning: 'URL of the public keys of PARLEY_JWT_ISSUER.',
  }),
  PARLEY_JWT_AUDIENCES: list({
    default: [],
    default_note: 'the base URL and PARLEY_MCP_URL',
    meaning:
      'Accepted aud claims of JWTs of PARLEY_JWT_ISSUER, separated by commas. The aud of tokens from the built-in OAuth server is always the base URL or PARLEY_MCP_URL.',
  }),
  PARLEY_ADMIN_SESSION_HOURS: integer({
    default: 12,
    min: 1,
    max: 720,
    meaning:
      'How long after signing in a superadmin may use the administration pages of the console before signing in again.',
  }),
} as const;

export const ceilingSettings = {
  PARLEY_REQUESTS_PER_MINUTE: integer({
    default: 600,
    min: 1,
    max: 1_000_000_000,
    meaning: 'Request limit of each caller, over all processes.',
  }),
  PARLEY_ORGANIZATION_REQUESTS_PER_MINUTE: integer({
    default: null,
    default_note: '5 times PARLEY_REQUESTS_PER_MINUTE',
    min: 1,
    max: 1_000_000_000,
    meaning:
      'Request limit of all callers of one organization together, in managed mode, over all processes.',
  }),
  PARLEY_FAILED_CREDENTIALS_PER_MINUTE: integer({
    default: 60,
    min: 1,
    max: 1_000_000_000,
    meaning:
      'Wrong credentials per minute from one address, per process. Above it the address gets 429, except for credentials that worked from there before. Set PARLEY_TRUSTED_PROXIES behind a proxy.',
  }),
  PARLEY_KEYS_PER_ORGANIZATION: integer({
    default: 200,
    min: 1,
    max: 100_000,
    meaning: 'Maximum number of unexpired API keys of one organization.',
  }),
} as const;

const callers_of_organization = 5;

export const organizationCeiling = (values: SettingsOf<typeof ceilingSettings>): number =>
  values.PARLEY_ORGANIZATION_REQUESTS_PER_MINUTE ??
  values.PARLEY_REQUESTS_PER_MINUTE * callers_of_organization;

export function identityProblems(values: SettingsOf<typeof identitySettings>): string[] {
  const problems: string[] = [];
  if ((values.PARLEY_JWT_ISSUER === null) !== (values.PARLEY_JWT_JWKS_URL === null)) {
    problems.push('PARLEY_JWT_ISSUER, PARLEY_JWT_JWKS_URL: set both or neither');
  }
  if (values.PARLEY_AUTH_SECRET !== null && values.PARLEY_AUTH_SECRET.length < 32) {
    problems.push('PARLEY_AUTH_SECRET: expected at least 32 characters');
  }
  return problems;
}
