// Email domains: the addresses an organization sends from and receives at, and the DNS records that prove them.
import { z } from 'zod';
import { pageOf, pageQuery, Timestamp, Uuid } from './fields.ts';
import { limits } from './limits.ts';
import { MailboxText } from './mailbox.ts';
import { defineOperations } from './operation.ts';

export const emailDomainKinds = ['service_mail', 'custom'] as const;
export const verificationStatuses = ['pending', 'verified', 'failed'] as const;
export const dnsRecordPurposes = ['dkim', 'mail_from_mx', 'mail_from_spf', 'dmarc', 'inbound_mx'] as const;
export const dnsRecordStatuses = ['pending', 'verified', 'missing', 'wrong', 'unknown'] as const;

export const DnsRecord = z
  .strictObject({
    name: z.string(),
    value: z.string(),
    type: z.enum(['TXT', 'MX']),
    priority: z.number().int().nullable(),
    purpose: z.enum(dnsRecordPurposes),
    status: z
      .enum(dnsRecordStatuses)
      .describe('What the last verify saw; unknown: DNS did not answer, so nothing was concluded.'),
    found: z.array(z.string()).describe('What DNS answered at the last verify.'),
  })
  .meta({ id: 'DnsRecord' });
export type DnsRecord = z.infer<typeof DnsRecord>;

export const EmailDomain = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    kind: z.enum(emailDomainKinds),
    domain: z.string().describe('For service_mail: the base domain of this server.'),
    local_prefix_user: z.string().nullable(),
    local_prefix_org: z.string().nullable(),
    default_address: z.string().describe('The sender of emails that name no from.'),
    verification_status: z.enum(verificationStatuses),
    dns_records: z.array(DnsRecord).describe('What to publish; empty for service_mail.'),
    mail_from_domain: z.string().describe('The domain of the return path, where bounces arrive.'),
    mail_from_status: z.enum(verificationStatuses),
    provider: z.string(),
    verified_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    inbound_enabled: z.boolean(),
    forward_to: z
      .array(z.string())
      .describe(
        'Where mail is forwarded to: addresses whose owners confirmed it, and ones on your own verified domains.',
      ),
    forward_pending: z
      .array(z.string())
      .describe('Wanted in forward_to, and not confirmed: nothing is forwarded to them.'),
    forward_rate_per_hour: z.number().int(),
    receive_ready: z.boolean().describe('Verified, inbound_enabled, and its MX points here.'),
  })
  .meta({ id: 'EmailDomain' });
export type EmailDomain = z.infer<typeof EmailDomain>;

export const EmailDomainCreate = z
  .strictObject({
    kind: z.enum(emailDomainKinds),
    domain: z.string().max(300).nullish().describe('For custom only: the domain you control.'),
    local_prefix_user: z.string().max(300).nullish().describe('For service_mail only.'),
    local_prefix_org: z
      .string()
      .max(300)
      .nullish()
      .describe(
        'For service_mail only. Left out, the default of the server is used; where another organization has that address, with an end made from the id of yours.',
      ),
  })
  .meta({ id: 'EmailDomainCreate' });
export type EmailDomainCreate = z.output<typeof EmailDomainCreate>;

export const EmailDomainPatch = z
  .strictObject({
    inbound_enabled: z.boolean().optional(),
    forward_to: z
      .array(MailboxText)
      .max(limits.email_forward_addresses)
      .optional()
      .describe(
        'All addresses that are wanted, pending ones too. New ones get a mail with a link to confirm it.',
      ),
    forward_rate_per_hour: z
      .number()
      .int()
      .min(0)
      .max(100_000)
      .optional()
      .describe('At most PARLEY_FORWARD_PER_HOUR_MAX of the server.'),
  })
  .describe('A field left out keeps its value.')
  .meta({ id: 'EmailDomainPatch' });
export type EmailDomainPatch = z.output<typeof EmailDomainPatch>;

export const ForwardConfirmationCreate = z
  .strictObject({ address: MailboxText.describe('One of forward_pending.') })
  .meta({ id: 'ForwardConfirmationCreate' });
export type ForwardConfirmationCreate = z.output<typeof ForwardConfirmationCreate>;

const example: EmailDomain = {
  id: '019a8c1e-8c10-7b50-a1c3-6e7f80911220',
  organization_id: '00000000-0000-0000-0000-000000000000',
  kind: 'custom',
  domain: 'mail.example.com',
  local_prefix_user: null,
  local_prefix_org: null,
  default_address: 'agent@mail.example.com',
  verification_status: 'pending',
  dns_records: [
    {
      name: 'parley-6e7f80911220._domainkey.mail.example.com',
      value: 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA',
      type: 'TXT',
      priority: null,
      purpose: 'dkim',
      status: 'pending',
      found: [],
    },
    {
      name: 'mail.example.com',
      value: 'mx.parley.example',
      type: 'MX',
      priority: 10,
      purpose: 'inbound_mx',
      status: 'pending',
      found: [],
    },
  ],
  mail_from_domain: 'bounce.mail.example.com',
  mail_from_status: 'pending',
  provider: 'smtp',
  verified_at: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
  inbound_enabled: true,
  forward_to: [],
  forward_pending: [],
  forward_rate_per_hour: 60,
  receive_ready: false,
};
const composed: EmailDomain = {
  ...example,
  kind: 'service_mail',
  domain: 'mail.localhost',
  local_prefix_user: 'ana',
  local_prefix_org: 'acme',
  default_address: 'ana+acme@mail.localhost',
  verification_status: 'verified',
  dns_records: [],
  mail_from_domain: 'mail.localhost',
  mail_from_status: 'verified',
  verified_at: '2026-06-06T12:00:00.000Z',
  receive_ready: true,
};

const one = { params: z.strictObject({ domain_id: Uuid }) };

export const emailDomains = defineOperations('email_domains', 'The domains you send from and receive at.', {
  create: {
    method: 'POST',
    path: '/v1/email-domains',
    summary: 'Add an email domain',
    description:
      'service_mail composes an address from two prefixes at once; custom answers the DNS records to publish before verify.',
    body: EmailDomainCreate,
    body_example: { kind: 'service_mail', local_prefix_user: 'ana', local_prefix_org: 'acme' },
    success: { status: 201, body: EmailDomain, example: composed },
    errors: [
      'domain_required',
      'domain_not_allowed',
      'prefix_not_allowed',
      'invalid_prefix',
      'invalid_domain',
      'email_domain_taken',
      'service_mail_prefix_missing',
    ],
  },
  list: {
    method: 'GET',
    path: '/v1/email-domains',
    summary: 'List email domains, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(EmailDomain, 'EmailDomainPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/email-domains/{domain_id}',
    summary: 'Read one email domain',
    ...one,
    success: { status: 200, body: EmailDomain, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/email-domains/{domain_id}',
    summary: 'Change how a domain receives',
    ...one,
    body: EmailDomainPatch,
    body_example: { forward_to: ['ana@example.com'], forward_rate_per_hour: 20 },
    success: {
      status: 200,
      body: EmailDomain,
      example: { ...example, forward_pending: ['ana@example.com'], forward_rate_per_hour: 20 },
    },
    errors: ['invalid_email_address', 'forward_rate_too_high'],
  },
  resend_forward_confirmation: {
    method: 'POST',
    path: '/v1/email-domains/{domain_id}/forward-confirmations',
    summary: 'Mail the link that confirms a forward address again',
    description: 'Earlier links of the address end. Three mails a day to one address at most.',
    ...one,
    body: ForwardConfirmationCreate,
    body_example: { address: 'ana@example.com' },
    success: {
      status: 200,
      body: EmailDomain,
      example: { ...example, forward_pending: ['ana@example.com'] },
    },
    errors: [
      'invalid_email_address',
      'forward_not_pending',
      'forward_refused',
      'recipient_suppressed',
      'system_mail_not_configured',
    ],
  },
  delete: {
    method: 'DELETE',
    path: '/v1/email-domains/{domain_id}',
    summary: 'Remove an email domain',
    ...one,
    success: { status: 204 },
  },
  verify: {
    method: 'POST',
    path: '/v1/email-domains/{domain_id}/verify',
    summary: 'Look the DNS records of a domain up now',
    description: 'Each record says what was found. A DNS server that does not answer changes nothing.',
    ...one,
    success: { status: 200, body: EmailDomain, example },
    errors: ['dns_unavailable', 'email_domain_taken'],
  },
});
