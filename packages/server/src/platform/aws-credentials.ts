// Credentials for Amazon Web Services: fixed ones, or temporary ones that are renewed before they expire.
import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import type { Clock } from './clock.ts';
import { renewedValue } from './renewed-value.ts';
import { isPassingStatus, Passing, withRetries } from './retries.ts';

export type AwsCredentials = {
  access_key_id: string;
  secret_access_key: string;
  /** Null of a key that does not expire. */
  session_token: string | null;
};

export type AwsCredentialSource = {
  current(): Promise<AwsCredentials>;
  /** After Amazon refused them: the next call renews them. False when they cannot be renewed. */
  forget(refused: AwsCredentials): boolean;
};

/** Where temporary credentials come from. */
export type AwsIdentity =
  | {
      kind: 'web_identity';
      /** The address of STS. */
      endpoint: string;
      role_arn: string;
      session_name: string;
      /** Kubernetes replaces the token in this file before it expires. */
      token_file: string;
    }
  | { kind: 'container'; url: string; token: string | null; token_file: string | null }
  | { kind: 'instance'; endpoint: string };

/** Of credentials without an end. */
const default_life_ms = 3_600_000;
const timeout_ms = 5000;
const max_answer_bytes = 64 * 1024;

/** A key of our own, or a source of others. */
export type AwsAccess =
  | { credentials: AwsCredentialSource }
  | { access_key_id: string; secret_access_key: string; session_token?: string | null };

export const credentialsOf = (access: AwsAccess): AwsCredentialSource => {
  if ('credentials' in access) return access.credentials;
  const { access_key_id, secret_access_key, session_token = null } = access;
  return fixedCredentials({ access_key_id, secret_access_key, session_token });
};

export const fixedCredentials = (credentials: AwsCredentials): AwsCredentialSource => ({
  current: async () => credentials,
  forget: () => false,
});

export function renewedCredentials(
  identity: AwsIdentity,
  { clock, base_ms = 200 }: { clock: Clock; base_ms?: number },
): AwsCredentialSource {
  const fetch = async () => {
    const { credentials, expires_ms } = await withRetries(() => read(identity), { max_tries: 4, base_ms });
    return { value: credentials, expires_ms: expires_ms ?? clock.ms() + default_life_ms };
  };
  const { current, forget } = renewedValue(fetch, clock);
  return {
    current,
    forget(refused) {
      forget(refused);
      return true;
    },
  };
}

type Fetched = { credentials: AwsCredentials; expires_ms: number | null };

function read(identity: AwsIdentity): Promise<Fetched> {
  if (identity.kind === 'web_identity') return assumeRole(identity);
  return identity.kind === 'container' ? ofContainer(identity) : ofInstance(identity);
}

/** The action AssumeRoleWithWebIdentity of STS. The token is the proof, so the request is not signed. */
async function assumeRole(identity: AwsIdentity & { kind: 'web_identity' }): Promise<Fetched> {
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: identity.role_arn,
    RoleSessionName: identity.session_name,
    WebIdentityToken: (await readFile(identity.token_file, 'utf8')).trim(),
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const xml = await textOf('STS', new URL(identity.endpoint), { method: 'POST', headers, body });
  const field = (name: string) => new RegExp(`<${name}>\\s*([^<]+?)\\s*</${name}>`).exec(xml)?.[1];
  return fetchedOf('STS', {
    AccessKeyId: field('AccessKeyId'),
    SecretAccessKey: field('SecretAccessKey'),
    Token: field('SessionToken'),
    Expiration: field('Expiration'),
  });
}

/** The endpoint of ECS tasks and of EKS pod identities. */
async function ofContainer({
  url,
  token,
  token_file,
}: AwsIdentity & { kind: 'container' }): Promise<Fetched> {
  const authorization = token_file === null ? token : (await readFile(token_file, 'utf8')).trim();
  if (authorization !== null && /[\r\n]/.test(authorization))
    throw new Error('The token of the container credentials has a line break');
  const headers: Record<string, string> = authorization === null ? {} : { authorization };
  const text = await textOf('The container endpoint', new URL(url), { method: 'GET', headers });
  return fetchedOf('The container endpoint', jsonOf(text));
}

/** The instance metadata service, version 2. */
async function ofInstance({ endpoint }: AwsIdentity & { kind: 'instance' }): Promise<Fetched> {
  const service = 'The instance metadata service';
  const at = (path: string) => new URL(`${endpoint}/latest/${path}`);
  const token = await textOf(service, at('api/token'), {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
  });
  const headers = { 'x-aws-ec2-metadata-token': token.trim() };
  const roles = 'meta-data/iam/security-credentials/';
  const role = (await textOf(service, at(roles), { method: 'GET', headers })).trim().split('\n')[0]!;
  const text = await textOf(service, at(`${roles}${encodeURIComponent(role)}`), { method: 'GET', headers });
  return fetchedOf(service, jsonOf(text));
}

type Asked = { method: 'GET' | 'PUT' | 'POST'; headers: Record<string, string>; body?: string };

async function textOf(service: string, url: URL, asked: Asked): Promise<string> {
  const response = await request(url, { ...asked, headersTimeout: timeout_ms, bodyTimeout: timeout_ms });
  let text = '';
  for await (const chunk of response.body) {
    text += String(chunk);
    if (text.length > max_answer_bytes) throw new Error(`${service} gave an answer that is too long`);
  }
  const { statusCode: status } = response;
  if (status === 200) return text;
  // The answer of STS has a code; the answers of the others may have a part of the token.
  const code = /<Code>([A-Za-z]+)<\/Code>/.exec(text)?.[1];
  const problem = `${service} answered ${status}${code ? ` (${code})` : ''} to a request for credentials`;
  throw isPassingStatus(status) ? new Passing(problem) : new Error(problem);
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function fetchedOf(service: string, fields: Record<string, unknown>): Fetched {
  const { AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: end } = fields;
  if (typeof id !== 'string' || typeof secret !== 'string' || typeof token !== 'string')
    throw new Error(`${service} gave no credentials`);
  const expires_ms = typeof end === 'string' ? Date.parse(end) : Number.NaN;
  return {
    credentials: { access_key_id: id, secret_access_key: secret, session_token: token },
    expires_ms: Number.isNaN(expires_ms) ? null : expires_ms,
  };
}
