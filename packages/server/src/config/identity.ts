// The settings of managed mode: accounts, credentials and outside issuers of tokens.
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
    default_note: 'made at the first start with the embedded database',
    meaning:
      'Signs the cookies of signed-in people and seals the keys that sign tokens. At least 32 characters.',
    secret: true,
  }),
  PARLEY_SIGN_UP: choice({
    default: 'invitation',
    of: ['invitation', 'open'],
    meaning: 'Who may make an account: people with an invitation, or anybody.',
  }),
  PARLEY_DEVICE_KEY_DAYS: integer({
    default: 90,
    min: 1,
    max: 3650,
    meaning: 'How long a key lives that a program gets by device login, such as `parley login`.',
  }),
  PARLEY_OAUTH_CLIENT_UNUSED_DAYS: integer({
    default: 90,
    min: 1,
    max: 3650,
    meaning:
      'An OAuth client that registered itself is removed with its grants when it got no token for so long; one that never got any, after a day.',
  }),
  PARLEY_JWT_ISSUER: url({
    default: null,
    protocols: ['http:', 'https:'],
    verbatim: true,
    meaning:
      'An outside issuer whose JWTs are accepted in managed mode, exactly as its iss claim says, with the slash at the end if it has one.',
  }),
  PARLEY_JWT_JWKS_URL: url({
    default: null,
    protocols: ['http:', 'https:'],
    verbatim: true,
    meaning: 'Where the public keys of PARLEY_JWT_ISSUER are.',
  }),
  PARLEY_JWT_AUDIENCES: list({
    default: [],
    default_note: 'the base URL and PARLEY_MCP_URL',
    meaning:
      'The aud claims that are accepted in JWTs of PARLEY_JWT_ISSUER, separated by commas. Tokens of our own OAuth server are always for the base URL or PARLEY_MCP_URL.',
  }),
  PARLEY_ADMIN_SESSION_HOURS: integer({
    default: 12,
    min: 1,
    max: 720,
    meaning:
      'For how long after signing in a superadmin may use the administration paths in the console; then they sign in again.',
  }),
} as const;

export const ceilingSettings = {
  PARLEY_REQUESTS_PER_MINUTE: integer({
    default: 600,
    min: 1,
    max: 1_000_000_000,
    meaning: 'Request ceiling of each caller, over all processes.',
  }),
  PARLEY_ORGANIZATION_REQUESTS_PER_MINUTE: integer({
    default: null,
    default_note: '5 times PARLEY_REQUESTS_PER_MINUTE',
    min: 1,
    max: 1_000_000_000,
    meaning:
      'Request ceiling of all callers of one organization together, in managed mode, over all processes.',
  }),
  PARLEY_FAILED_CREDENTIALS_PER_MINUTE: integer({
    default: 60,
    min: 1,
    max: 1_000_000_000,
    meaning:
      'Wrong credentials a minute from one address, counted by each process; then the address is answered 429, save for credentials that worked from there meanwhile. Set PARLEY_TRUSTED_PROXIES behind a proxy.',
  }),
  PARLEY_KEYS_PER_ORGANIZATION: integer({
    default: 200,
    min: 1,
    max: 100_000,
    meaning: 'API keys that one organization may have at one time, expired ones not counted.',
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
