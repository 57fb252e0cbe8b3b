// How each record of the API is shown to a model: what is hidden, and what other people wrote.

export type RecordTreatment = {
  /** Fields that other people write or choose: they are moved into `untrusted_content`. */
  untrusted?: readonly string[];
  /** Fields with a phone number or a chosen name; a name is untrusted. */
  untrusted_unless_phone?: readonly string[];
  hidden?: readonly string[];
  /** The output schema does not list its fields: their names explain them, and many records contain it. */
  is_unlisted?: boolean;
};

const email_parties = [
  'from_address',
  'to_addresses',
  'cc_addresses',
  'bcc_addresses',
  'reply_to',
  'subject',
] as const;
const phones = ['from', 'to'] as const;

/** How each record of the API is shown to a model. */
export const recordTreatment: Readonly<Record<string, RecordTreatment>> = {
  Email: {
    untrusted: [...email_parties, 'from_name', 'body_text', 'extracted_text', 'message_id', 'in_reply_to'],
    // The server returns the readable text of an HTML body as body_text: markup can hide text from people but not from
    // models.
    // `hold` has the time.
    hidden: [
      'organization_id',
      'body_html',
      'raw_url',
      'references_ids',
      'provider_message_id',
      'metadata',
      'scheduled_at',
      // `requested_at` and `last_outcome` say the same.
      'provider_received_at',
      'last_event_at',
      'labels',
      'quarantine_reason',
    ],
  },
  EmailListItem: {
    untrusted: email_parties,
    hidden: [
      'organization_id',
      'provider_message_id',
      'metadata',
      'email_domain_id',
      'bcc_addresses',
      'scheduled_at',
      'labels',
      'folder',
      'quarantine_reason',
    ],
  },
  Hold: { is_unlisted: true },
  EmailWait: { untrusted: ['code'] },
  EmailAttachmentLink: { untrusted: ['filename', 'content_type'] },
  EmailTimelineEntry: { untrusted: ['detail'] },
  EmailSuppression: { untrusted: ['recipient'] },
  Sms: {
    untrusted: ['body'],
    untrusted_unless_phone: phones,
    hidden: ['organization_id', 'provider_message_id', 'metadata', 'encoding', 'scheduled_at', 'labels'],
  },
  SmsWait: { untrusted: ['code'] },
  SmsSuppression: { untrusted_unless_phone: ['recipient'] },
  Call: {
    // Made from what the other party said.
    untrusted: ['summary', 'result', 'success_reason', 'handoff_data'],
    untrusted_unless_phone: phones,
    hidden: [
      'organization_id',
      'provider_call_id',
      'metadata',
      'scheduled_at',
      'variables',
      'agent_version',
      'result_schema',
      'result_engine',
      'evidence',
    ],
  },
  ToolCall: { untrusted: ['arguments', 'result', 'detail'] },
  ToolTestResult: { untrusted: ['content', 'say', 'instruct', 'detail'] },
  // Descriptions of tools are texts of another server.
  McpServer: { untrusted: ['tools', 'error'] },
  CallTurn: { untrusted: ['text'], hidden: ['timings'] },
  CallTimelineEntry: { untrusted: ['detail'] },
  SandboxPhoneCall: { untrusted_unless_phone: phones },
  SandboxMessage: { untrusted: ['from', 'to', 'message'] },
  Conversation: {
    untrusted: ['title', 'participants'],
    hidden: [
      'organization_id',
      'contact_id',
      'metadata',
      'merged_ids',
      'participants_total',
      'created_at',
      'updated_at',
    ],
  },
  ConversationParticipant: { is_unlisted: true },
  ConversationAssignee: { is_unlisted: true },
  ConversationItemCall: { is_unlisted: true },
  ConversationLastItem: { untrusted: ['preview'] },
  ConversationItem: { untrusted: ['from', 'to', 'subject', 'text', 'call'] },
  WaitMatch: { untrusted: ['object', 'code'] },
  Event: { untrusted: ['data'] },
  // Words of carriers and mail servers.
  ExplanationVerdict: { untrusted: ['detail'] },
  ExplanationEntry: { untrusted: ['detail'] },
  WebhookAttempt: { untrusted: ['response_body'] },
  AuditEntry: { untrusted: ['detail'] },
  Organization: { untrusted: ['name'] },
  User: { untrusted: ['email', 'name', 'external_subject'] },
  Verification: { untrusted: ['rejection_reason'] },
  ProviderTest: { untrusted: ['error'] },
  DnsRecord: { untrusted: ['found'] },
  PhoneNumber: {
    hidden: ['organization_id', 'messaging_service_sid', 'provisioning_detail', 'sms_registration'],
  },
  Contact: { hidden: ['organization_id', 'is_vouched', 'time_zone', 'do_not_contact'] },
  Approval: { hidden: ['organization_id', 'messages'] },
  SearchItem: { untrusted: ['title', 'parties', 'snippet'], hidden: ['highlights', 'matched'] },
  SearchPage: { hidden: ['searched_until'] },
};

/** The field that holds everything other people wrote. */
export const untrusted_field = 'untrusted_content';
