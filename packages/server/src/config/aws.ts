// The settings of credentials for Amazon Web Services: the names that Amazon's own programs read.
import type { AwsIdentity } from '../platform/aws-credentials.ts';
import { choice, type SettingsOf, text, url } from '../platform/settings.ts';

export const awsSettings = {
  PARLEY_AWS_CREDENTIALS: choice({
    default: null,
    default_note: 'the first of these whose variables are set; instance only with its endpoint',
    of: ['environment', 'web_identity', 'container', 'instance'],
    meaning:
      'Where S3 and SES get credentials without an access key of their own: AWS_ACCESS_KEY_ID, a web identity token (EKS), a container (ECS, EKS pod identity), or the role of an EC2 instance.',
  }),
  AWS_ACCESS_KEY_ID: text({ default: null, meaning: 'Access key for Amazon Web Services.' }),
  AWS_SECRET_ACCESS_KEY: text({ default: null, meaning: 'Secret of that access key.', secret: true }),
  AWS_SESSION_TOKEN: text({
    default: null,
    meaning: 'Session token of that access key, where it is a temporary one.',
    secret: true,
  }),
  AWS_REGION: text({
    default: null,
    default_note: 'PARLEY_S3_REGION',
    meaning: 'Region of STS, for a web identity.',
  }),
  AWS_ROLE_ARN: text({ default: null, meaning: 'Role that a web identity takes.' }),
  AWS_ROLE_SESSION_NAME: text({ default: 'parley', meaning: 'Name of the session of that role.' }),
  AWS_WEB_IDENTITY_TOKEN_FILE: text({
    default: null,
    meaning: 'File with the web identity token. It is read again for each renewal.',
  }),
  AWS_ENDPOINT_URL_STS: url({
    default: null,
    default_note: 'the endpoint of the region',
    protocols: ['http:', 'https:'],
    meaning: 'Endpoint of STS.',
  }),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: text({
    default: null,
    meaning: 'Path of the credentials of an ECS task; ECS sets it.',
  }),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: url({
    default: null,
    protocols: ['http:', 'https:'],
    meaning: 'Address of the credentials of a container; EKS pod identity sets it.',
  }),
  AWS_CONTAINER_AUTHORIZATION_TOKEN: text({
    default: null,
    meaning: 'Token for the credentials of a container.',
    secret: true,
  }),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: text({
    default: null,
    meaning: 'File with that token. It is read again for each renewal.',
  }),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: url({
    default: null,
    default_note: 'http://169.254.169.254',
    protocols: ['http:', 'https:'],
    meaning: 'Address of the instance metadata service (version 2).',
  }),
} as const;

type AwsSettings = SettingsOf<typeof awsSettings>;

const instance_endpoint = 'http://169.254.169.254';
const task_endpoint = 'http://169.254.170.2';
/** Credentials go unencrypted only within the machine, and to the addresses of ECS and EKS. */
const container_hosts = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\]|169\.254\.170\.(2|23)|\[fd00:ec2::23\])$/;

export type AwsKind = NonNullable<AwsSettings['PARLEY_AWS_CREDENTIALS']>;

/** Null when no credentials are set up. */
export function awsKind(values: AwsSettings): AwsKind | null {
  if (values.PARLEY_AWS_CREDENTIALS !== null) return values.PARLEY_AWS_CREDENTIALS;
  if (values.AWS_ACCESS_KEY_ID !== null) return 'environment';
  if (values.AWS_WEB_IDENTITY_TOKEN_FILE !== null) return 'web_identity';
  if (values.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI !== null) return 'container';
  if (values.AWS_CONTAINER_CREDENTIALS_FULL_URI !== null) return 'container';
  return values.AWS_EC2_METADATA_SERVICE_ENDPOINT === null ? null : 'instance';
}

/** `region`: of STS. Null for the credentials of the environment. */
export function awsIdentity(values: AwsSettings, region: string): AwsIdentity | null {
  const kind = awsKind(values);
  if (kind === 'web_identity')
    return {
      kind,
      endpoint: values.AWS_ENDPOINT_URL_STS ?? `https://sts.${values.AWS_REGION ?? region}.amazonaws.com/`,
      role_arn: values.AWS_ROLE_ARN!,
      session_name: values.AWS_ROLE_SESSION_NAME,
      token_file: values.AWS_WEB_IDENTITY_TOKEN_FILE!,
    };
  if (kind === 'container') {
    const path = values.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
    return {
      kind,
      url: path === null ? values.AWS_CONTAINER_CREDENTIALS_FULL_URI! : `${task_endpoint}${path}`,
      token: values.AWS_CONTAINER_AUTHORIZATION_TOKEN,
      token_file: values.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
    };
  }
  if (kind === 'instance')
    return { kind, endpoint: values.AWS_EC2_METADATA_SERVICE_ENDPOINT ?? instance_endpoint };
  return null;
}

export function awsProblems(values: AwsSettings): string[] {
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: full, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path } = values;
  const kind = awsKind(values);
  const needed: Record<AwsKind, (keyof AwsSettings)[]> = {
    environment: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    web_identity: ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'],
    container: path === null ? ['AWS_CONTAINER_CREDENTIALS_FULL_URI'] : [],
    instance: [],
  };
  const missing = kind === null ? [] : needed[kind].filter((name) => values[name] === null);
  const problems = missing.map((name) => `${name}: needed for AWS credentials of the kind ${kind}`);
  if (path !== null && !path.startsWith('/'))
    problems.push('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: expected a path');
  if (full?.startsWith('http:') && !container_hosts.test(new URL(full).hostname))
    problems.push(
      'AWS_CONTAINER_CREDENTIALS_FULL_URI: expected https, a loopback address, or the address of ECS or EKS',
    );
  return problems;
}
