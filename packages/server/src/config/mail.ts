// The settings of mail and of stored objects.

import { readMailbox } from '@parley/contract/schema/mailbox';
import { choice, integer, list, type SettingsOf, text, url } from '../platform/settings.ts';
import { awsKind, awsProblems, awsSettings } from './aws.ts';
import { networks } from './network-settings.ts';

const mebibyte = 1024 * 1024;

export const mailSettings = {
  ...awsSettings,
  PARLEY_SERVICE_MAIL_DOMAIN: text({
    default: 'mail.localhost',
    meaning: 'Base domain of service_mail addresses; the start logs the DKIM record to publish for it.',
  }),
  PARLEY_SERVICE_MAIL_PREFIX_USER: text({
    default: null,
    meaning: 'Default first part of a service_mail address.',
  }),
  PARLEY_SERVICE_MAIL_PREFIX_ORG: text({
    default: null,
    meaning:
      'Default second part of a service_mail address; organizations after the first get it with a suffix from their id.',
  }),
  PARLEY_SYSTEM_MAIL_FROM: text({
    default: null,
    default_note: 'Parley <no-reply@PARLEY_SERVICE_MAIL_DOMAIN>',
    meaning:
      'Sender of system mail, such as codes and password links of accounts: one address, with or without a name. On PARLEY_SERVICE_MAIL_DOMAIN it is signed with DKIM.',
  }),
  PARLEY_MAIL_HOST: text({
    default: null,
    default_note: 'PARLEY_SERVICE_MAIL_DOMAIN',
    meaning: 'Public name of the host that receives mail; MX records of custom domains point to it.',
  }),
  PARLEY_MAIL_SPF: text({
    default: null,
    default_note: 'v=spf1 a:<PARLEY_MAIL_HOST> ~all',
    meaning: 'SPF record that custom domains publish; it must include the hosts of your relay.',
  }),
  PARLEY_MAIL_TRANSPORT: choice({
    default: null,
    default_note: 'smtp when PARLEY_SMTP_URL is set, else sandbox while the sandbox is on',
    of: ['sandbox', 'smtp', 'ses'],
    meaning: 'Transport of outgoing mail.',
  }),
  PARLEY_EMAIL_TIMEOUT_SECONDS: integer({
    default: 30,
    min: 1,
    max: 300,
    meaning: 'Time limit of handing one email to the transport; after it the send counts as failed.',
  }),
  PARLEY_SMTP_URL: url({
    default: null,
    protocols: ['smtp:', 'smtps:'],
    meaning: 'The relay for outgoing mail, such as smtp://user:password@relay.example:587.',
    secret: true,
  }),
  PARLEY_SMTP_CONNECTIONS: integer({
    default: 20,
    min: 1,
    max: 200,
    meaning: 'Maximum number of connections to the relay.',
  }),
  PARLEY_SMTP_TLS: choice({
    default: 'opportunistic',
    of: ['opportunistic', 'required', 'off'],
    meaning:
      'STARTTLS: used when offered, required, or never used; smtps is always encrypted. A password is sent unencrypted only when this is off.',
  }),
  PARLEY_SMTP_OAUTH_TOKEN_URL: url({
    default: null,
    protocols: ['http:', 'https:'],
    verbatim: true,
    meaning:
      'Token endpoint for the login at the relay with XOAUTH2 or OAUTHBEARER, instead of a password. The user is in PARLEY_SMTP_URL.',
  }),
  PARLEY_SMTP_OAUTH_CLIENT_ID: text({ default: null, meaning: 'Client id at the token endpoint.' }),
  PARLEY_SMTP_OAUTH_CLIENT_SECRET: text({
    default: null,
    meaning: 'Secret of that client.',
    secret: true,
  }),
  PARLEY_SMTP_OAUTH_REFRESH_TOKEN: text({
    default: null,
    default_note: 'the grant client_credentials',
    meaning: 'Refresh token of the mailbox; the grant is then refresh_token.',
    secret: true,
  }),
  PARLEY_SMTP_OAUTH_SCOPE: text({
    default: null,
    meaning: 'Scope of the token, such as https://outlook.office365.com/.default.',
  }),
  PARLEY_SES_REGION: text({ default: null, meaning: 'Region of Amazon SES, such as eu-west-1.' }),
  PARLEY_SES_ACCESS_KEY_ID: text({ default: null, meaning: 'Access key for Amazon SES.' }),
  PARLEY_SES_SECRET_ACCESS_KEY: text({
    default: null,
    meaning: 'Secret of that access key.',
    secret: true,
  }),
  PARLEY_SES_SESSION_TOKEN: text({
    default: null,
    meaning: 'Session token of that access key, where it is a temporary one.',
    secret: true,
  }),
  PARLEY_SES_CONFIGURATION_SET: text({
    default: null,
    meaning: 'Configuration set that publishes delivery events.',
  }),
  PARLEY_SES_TOPIC_ARN: list({
    default: [],
    meaning:
      'SNS topics whose notifications are accepted, separated by commas: delivery events and received mail. Without it none are accepted.',
  }),
  PARLEY_SES_ENDPOINT: url({
    default: null,
    default_note: 'the endpoint of the region',
    protocols: ['http:', 'https:'],
    meaning: 'Endpoint of the SES API, such as a VPC endpoint.',
  }),
  PARLEY_SES_S3_ENDPOINT: url({
    default: null,
    default_note: 'the endpoint of the region',
    protocols: ['http:', 'https:'],
    meaning: 'Endpoint of the S3 service that stores inbound mail of SES.',
  }),
  SMTP_PORT: integer({
    default: null,
    default_note: '2525, or any free one when PORT is 0',
    min: 0,
    max: 65_535,
    meaning: 'Port of the inbound mail server. Forward port 25 of the public address to it.',
  }),
  SMTP_HOST: text({
    default: null,
    default_note: 'HOST',
    meaning: 'Address the mail server listens on.',
  }),
  PARLEY_SMTP_PROXY_NETWORKS: networks({
    default: [],
    meaning:
      'Addresses or networks of TCP balancers before the ports of inbound mail and of SMTP submission, separated by commas. Their connections must begin with the PROXY protocol (version 1 or 2); its client address counts for limits and SPF.',
  }),
  PARLEY_INBOUND_TLS_CERT: text({
    default: null,
    default_note: 'self-signed',
    meaning: 'File with the certificate chain for STARTTLS, in PEM.',
  }),
  PARLEY_INBOUND_TLS_KEY: text({ default: null, meaning: 'File with the key of that certificate, in PEM.' }),
  PARLEY_INBOUND_MAX_BYTES: integer({
    default: 35 * mebibyte,
    min: 64 * 1024,
    max: 200 * mebibyte,
    meaning: 'Maximum size of a message that is received by SMTP; 25 MiB of files take 35 MiB in a message.',
  }),
  PARLEY_INBOUND_CONNECTIONS: integer({
    default: 500,
    min: 1,
    max: 100_000,
    meaning: 'Maximum number of connections to the inbound mail server.',
  }),
  PARLEY_INBOUND_PEER_CONNECTIONS: integer({
    default: 50,
    min: 1,
    max: 100_000,
    meaning: 'Maximum number of connections from one address.',
  }),
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: integer({
    default: 1000,
    min: 1,
    max: 10_000_000,
    meaning: 'Messages and wrong recipients per minute from one address; further ones are deferred (450).',
  }),
  PARLEY_INBOUND_EMAILS_PER_MINUTE: integer({
    default: 600,
    min: 1,
    max: 1_000_000_000,
    meaning:
      'Received emails per minute of an organization with an email.received event; further ones are stored with email.received.suppressed.',
  }),
  PARLEY_QUARANTINE_DAYS: integer({
    default: 30,
    min: 1,
    max: 3650,
    meaning: 'Days until an email in quarantine is deleted.',
  }),
  PARLEY_FORWARD_PER_HOUR_MAX: integer({
    default: 200,
    min: 0,
    max: 100_000,
    meaning: 'Upper limit of forward_rate_per_hour: messages that a domain forwards per hour.',
  }),
  PARLEY_RSPAMD_URL: url({
    default: null,
    protocols: ['http:', 'https:'],
    meaning:
      'rspamd that checks inbound mail for spam, such as http://127.0.0.1:11333; without it spam_verdict is DISABLED.',
  }),
  PARLEY_CLAMD_ADDRESS: text({
    default: null,
    meaning:
      'clamd that checks inbound mail and documents of verifications for viruses, as host:port or a socket path; without it virus_verdict is DISABLED.',
  }),
  PARLEY_SCANNER_TIMEOUT_SECONDS: integer({
    default: 20,
    min: 1,
    max: 300,
    meaning: 'How long a scanner may take over one message before its verdict is PROCESSING_FAILED.',
  }),
  PARLEY_STORAGE: choice({
    default: 'folder',
    of: ['folder', 's3'],
    meaning: 'Where attachments and raw messages are kept: in the data folder, or in an S3 bucket.',
  }),
  PARLEY_S3_ENDPOINT: url({
    default: null,
    protocols: ['http:', 'https:'],
    meaning: 'Address of the S3 service, such as https://s3.eu-west-1.amazonaws.com.',
  }),
  PARLEY_S3_PUBLIC_ENDPOINT: url({
    default: null,
    default_note: 'PARLEY_S3_ENDPOINT',
    protocols: ['http:', 'https:'],
    meaning: 'Address of the S3 service for clients, where it differs: download links lead there.',
  }),
  PARLEY_S3_REGION: text({ default: 'us-east-1', meaning: 'Region of the bucket.' }),
  PARLEY_S3_BUCKET: text({ default: null, meaning: 'Name of the bucket.' }),
  PARLEY_S3_ACCESS_KEY_ID: text({ default: null, meaning: 'Access key for the bucket.' }),
  PARLEY_S3_SECRET_ACCESS_KEY: text({ default: null, meaning: 'Secret of that access key.', secret: true }),
  PARLEY_S3_SESSION_TOKEN: text({
    default: null,
    meaning: 'Session token of that access key, where it is a temporary one.',
    secret: true,
  }),
  PARLEY_ATTACHMENT_MAX_BYTES: integer({
    default: 25 * mebibyte,
    min: 1,
    max: 100 * mebibyte,
    meaning: 'Maximum size of an uploaded attachment.',
  }),
  PARLEY_EMAIL_ATTACHMENTS_MAX_BYTES: integer({
    default: 25 * mebibyte,
    min: 1,
    max: 100 * mebibyte,
    meaning: 'Maximum total size of the attachments of one email.',
  }),
  PARLEY_ATTACHMENT_KEPT_DAYS: integer({
    default: 30,
    min: 1,
    max: 3650,
    meaning: 'An upload that no email used for this long is deleted.',
  }),
  PARLEY_DNS_SERVERS: text({
    default: null,
    default_note: 'those of the operating system',
    meaning: 'DNS servers of domain verification, such as 192.0.2.53 or 127.0.0.1:5353, separated by commas.',
  }),
} as const;

type MailSettings = SettingsOf<typeof mailSettings>;

/** The sender of system mail in header form. */
export const systemMailFrom = (
  values: Pick<MailSettings, 'PARLEY_SYSTEM_MAIL_FROM' | 'PARLEY_SERVICE_MAIL_DOMAIN'>,
): string => values.PARLEY_SYSTEM_MAIL_FROM ?? `Parley <no-reply@${values.PARLEY_SERVICE_MAIL_DOMAIN}>`;

/** Settings that the chosen transport or storage requires. */
export function mailProblems(values: MailSettings): string[] {
  const needs = (chosen: boolean, because: string, names: (keyof MailSettings)[]) =>
    chosen
      ? names.filter((name) => values[name] === null).map((name) => `${name}: needed because ${because}`)
      : [];
  return [
    ...(readMailbox(systemMailFrom(values))
      ? []
      : ['PARLEY_SYSTEM_MAIL_FROM: expected one address, such as Parley <no-reply@example.com>']),
    ...needs(values.PARLEY_MAIL_TRANSPORT === 'smtp', 'PARLEY_MAIL_TRANSPORT is smtp', ['PARLEY_SMTP_URL']),
    ...oauthProblems(values),
    ...needs(values.PARLEY_MAIL_TRANSPORT === 'ses', 'PARLEY_MAIL_TRANSPORT is ses', ['PARLEY_SES_REGION']),
    ...keyProblems(values, values.PARLEY_MAIL_TRANSPORT === 'ses', 'PARLEY_MAIL_TRANSPORT is ses', [
      'PARLEY_SES_ACCESS_KEY_ID',
      'PARLEY_SES_SECRET_ACCESS_KEY',
    ]),
    ...needs(values.PARLEY_INBOUND_TLS_CERT !== null, 'PARLEY_INBOUND_TLS_CERT is set', [
      'PARLEY_INBOUND_TLS_KEY',
    ]),
    ...needs(values.PARLEY_STORAGE === 's3', 'PARLEY_STORAGE is s3', [
      'PARLEY_S3_ENDPOINT',
      'PARLEY_S3_BUCKET',
    ]),
    ...keyProblems(values, values.PARLEY_STORAGE === 's3', 'PARLEY_STORAGE is s3', [
      'PARLEY_S3_ACCESS_KEY_ID',
      'PARLEY_S3_SECRET_ACCESS_KEY',
    ]),
  ];
}

/** A service of Amazon has its own key, or credentials that are set up for all of them. */
function keyProblems(
  values: MailSettings,
  is_chosen: boolean,
  because: string,
  [id, secret]: readonly [keyof MailSettings, keyof MailSettings],
): string[] {
  if (!is_chosen) return [];
  if (values[id] === null && values[secret] === null && awsKind(values) !== null) return awsProblems(values);
  return [id, secret]
    .filter((name) => values[name] === null)
    .map((name) => `${name}: needed because ${because}, or set PARLEY_AWS_CREDENTIALS`);
}

function oauthProblems(values: MailSettings): string[] {
  const { PARLEY_SMTP_OAUTH_TOKEN_URL: token_url, PARLEY_SMTP_URL: relay } = values;
  const names = ['CLIENT_ID', 'CLIENT_SECRET', 'REFRESH_TOKEN', 'SCOPE'] as const;
  if (token_url === null)
    return names
      .map((name) => `PARLEY_SMTP_OAUTH_${name}` as const)
      .filter((name) => values[name] !== null)
      .map((name) => `${name}: it needs PARLEY_SMTP_OAUTH_TOKEN_URL`);
  const problems: string[] = [];
  if (values.PARLEY_SMTP_OAUTH_CLIENT_ID === null)
    problems.push('PARLEY_SMTP_OAUTH_CLIENT_ID: needed because PARLEY_SMTP_OAUTH_TOKEN_URL is set');
  if (values.PARLEY_SMTP_OAUTH_CLIENT_SECRET === null && values.PARLEY_SMTP_OAUTH_REFRESH_TOKEN === null)
    problems.push('PARLEY_SMTP_OAUTH_CLIENT_SECRET: needed without PARLEY_SMTP_OAUTH_REFRESH_TOKEN');
  if (relay === null || new URL(relay).username === '')
    problems.push('PARLEY_SMTP_URL: it must name the user, such as smtp://agent%40example.com@host:587');
  return problems;
}
