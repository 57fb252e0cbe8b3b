// Email domains: the addresses an organization sends from and receives at, and the DNS records that prove ownership.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../../schema/fields.ts';
import { MailboxText } from '../../schema/mailbox.ts';

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
      .describe('The result of the last verification. unknown: DNS did not respond.'),
    found: z.array(z.string()).describe('The value found in DNS at the last verification.'),
  })
  .meta({ id: 'DnsRecord' });
export type DnsRecord = z.infer<typeof DnsRecord>;

const AgentAddress = z
  .strictObject({
    local_part: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'Expected the part of an address before the @, without a +tag')
      .meta({ json_schema: { type: 'string' } }),
    agent_id: Uuid,
  })
  .meta({ id: 'AgentAddress' });
export type AgentAddress = z.infer<typeof AgentAddress>;

export const EmailDomain = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    kind: z.enum(emailDomainKinds),
    domain: z.string().describe('For service_mail: the base domain of this server.'),
    local_prefix_user: z.string().nullable(),
    local_prefix_org: z.string().nullable(),
    default_address: z.string().describe('The sender of emails without "from".'),
    verification_status: z.enum(verificationStatuses),
    dns_records: z.array(DnsRecord).describe('The DNS records to publish; empty for service_mail.'),
    mail_from_domain: z.string().describe('The domain of the return path, which receives bounces.'),
    mail_from_status: z.enum(verificationStatuses),
    provider: z.string(),
    verified_at: Timestamp.nullable(),
    is_vouched: z
      .boolean()
      .describe(
        'A person had a custom domain verified: its addresses count as vouched for, and mail may be forwarded to them without a confirmation. A person verifies it again to vouch for a domain that a program had verified.',
      ),
    created_at: Timestamp,
    updated_at: Timestamp,
    inbound_enabled: z.boolean(),
    forward_to: z
      .array(z.string())
      .describe(
        'Incoming mail is forwarded to these addresses: addresses whose owners confirmed it, and addresses on your own domains that a person had verified.',
      ),
    forward_pending: z
      .array(z.string())
      .describe(
        'Addresses from forward_to whose owners have not confirmed yet. Nothing is forwarded to them.',
      ),
    forward_held: z
      .array(z.strictObject({ address: z.string(), approval_id: Uuid }))
      .describe('Those of forward_pending that a person must approve first.'),
    forward_rate_per_hour: z.number().int(),
    email_agent_id: Uuid.nullable().describe('The agent that answers mail to the domain.'),
    agent_addresses: z
      .array(AgentAddress)
      .describe('Addresses of a custom domain that another agent answers for.'),
    receive_ready: z
      .boolean()
      .describe(
        'true when the domain is verified, inbound_enabled is true and the MX record points to this server.',
      ),
  })
  .meta({ id: 'EmailDomain' });
export type EmailDomain = z.infer<typeof EmailDomain>;

export const EmailDomainCreate = z
  .strictObject({
    kind: z.enum(emailDomainKinds),
    domain: z.string().max(300).nullish().describe('For custom only: a domain you control.'),
    local_prefix_user: z.string().max(300).nullish().describe('For service_mail only.'),
    local_prefix_org: z
      .string()
      .max(300)
      .nullish()
      .describe(
        'For service_mail only. Default: the prefix set on the server; if another organization uses that address, a suffix derived from your organization id is added.',
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
        'The complete list of addresses, including pending ones. New addresses get a mail with a confirmation link.',
      ),
    forward_rate_per_hour: z
      .number()
      .int()
      .min(0)
      .max(100_000)
      .optional()
      .describe('At most PARLEY_FORWARD_PER_HOUR_MAX of the server.'),
    email_agent_id: Uuid.nullish().describe('The agent that answers mail to the domain; null: none.'),
    agent_addresses: z
      .array(AgentAddress)
      .max(limits.agent_addresses)
      .refine(
        (list) => new Set(list.map(({ local_part }) => local_part)).size === list.length,
        'Each local_part can be listed once',
      )
      .optional()
      .describe('For custom only: agents of single addresses. The complete list.'),
  })
  .describe('Fields that are left out keep their value.')
  .meta({ id: 'EmailDomainPatch' });
export type EmailDomainPatch = z.output<typeof EmailDomainPatch>;

export const ForwardConfirmationCreate = z
  .strictObject({ address: MailboxText.describe('An address from forward_pending.') })
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
  is_vouched: false,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
  inbound_enabled: true,
  forward_to: [],
  forward_pending: [],
  forward_held: [],
  forward_rate_per_hour: 60,
  email_agent_id: null,
  agent_addresses: [],
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
      'service_mail creates an address from two prefixes immediately. custom returns the DNS records to publish before you call verify.',
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
    summary: 'Change how a domain receives mail',
    ...one,
    body: EmailDomainPatch,
    body_example: { forward_to: ['ana@example.com'], forward_rate_per_hour: 20 },
    success: {
      status: 200,
      body: EmailDomain,
      example: { ...example, forward_pending: ['ana@example.com'], forward_rate_per_hour: 20 },
    },
    errors: [
      'invalid_email_address',
      'forward_rate_too_high',
      'agent_not_found',
      'domain_not_custom',
      'not_allowed_by_policy',
      'too_many_approvals',
      'address_received_here',
    ],
  },
  resend_forward_confirmation: {
    method: 'POST',
    path: '/v1/email-domains/{domain_id}/forward-confirmations',
    summary: 'Send the confirmation mail for a forward address again',
    description:
      'Earlier links for the address stop working. At most three mails a day are sent to one address.',
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
      'held',
      'forward_refused',
      'recipient_suppressed',
      'system_mail_not_configured',
      'address_received_here',
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
    summary: 'Check the DNS records of a domain now',
    description: 'Each record shows what was found. If DNS does not respond, nothing changes.',
    ...one,
    success: { status: 200, body: EmailDomain, example },
    errors: ['dns_unavailable', 'email_domain_taken'],
  },
});
