// The tools that every agent gets, each named after what it does and tied to the operation that does it.
// Everything else of the API is offered by noun, in toolsets to be asked for, under names made from the operation ids.

export type ToolEntry = {
  /** The operation; a tool whose operation does not exist is left out. */
  operation: string;
  title: string;
  /** When to use it, beyond what the operation says of itself. */
  hint?: string;
  /** Inputs that a conversation has no use for. */
  without?: readonly string[];
  /** The fields worth returning, where the caller has just said the rest. */
  returns?: readonly string[];
  /** Inputs whose default is another here. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Waits: until the call is over, or until a message has come in. */
  waits_for?: 'call' | 'message';
};

/** What hinders more than it helps: callbacks of programs, not words of a conversation. */
const technical = ['headers', 'metadata', 'track_opens', 'track_clicks', 'list_unsubscribe'] as const;

const sent_email = [
  'id',
  'status',
  'end_reason',
  'conversation_id',
  'from_address',
  'to_addresses',
  'sent_at',
];

export const defaultTools: Readonly<Record<string, ToolEntry>> = {
  place_call: {
    operation: 'calls.create',
    title: 'Place a phone call',
    hint: 'Costs money and rings a real phone. Returns at once; follow with wait_for_call.',
    without: ['llm', 'metadata'],
    returns: ['id', 'status', 'end_reason', 'from', 'to', 'conversation_id', 'requested_at'],
  },
  get_call: {
    operation: 'calls.get',
    title: 'Read a call',
    without: ['wait_seconds'],
  },
  wait_for_call: {
    operation: 'calls.get',
    title: 'Wait until a call is over',
    hint: 'Answers when the call is over or the time is up (is_over says which); then call it again.',
    waits_for: 'call',
    without: ['wait_seconds'],
  },
  get_call_transcript: {
    operation: 'calls.transcript',
    title: 'Read what was said on a call',
  },
  cancel_call: { operation: 'calls.cancel', title: 'End or cancel a call' },
  list_calls: { operation: 'calls.list', title: 'List calls', defaults: { limit: 20 } },
  send_sms: {
    operation: 'sms.create',
    title: 'Send a text',
    hint: 'Costs money and reaches a real phone.',
    without: ['metadata'],
    returns: ['id', 'status', 'from', 'to', 'segments', 'conversation_id', 'requested_at'],
  },
  list_sms: { operation: 'sms.list', title: 'List texts', defaults: { limit: 20 } },
  wait_for_sms: {
    operation: 'sms.wait',
    title: 'Wait for a text to come in',
    hint: 'For replies and one-time codes. Note the time before you trigger the text and pass it as since.',
    waits_for: 'message',
    without: ['timeout_seconds'],
  },
  send_email: {
    operation: 'emails.create',
    title: 'Send an email',
    hint: 'To answer one use reply_email.',
    without: technical,
    returns: sent_email,
  },
  reply_email: {
    operation: 'emails.reply',
    title: 'Reply to an email',
    without: technical,
    returns: sent_email,
  },
  get_email: {
    operation: 'emails.get',
    title: 'Read an email',
    without: ['view'],
    defaults: { view: 'text' },
  },
  list_emails: { operation: 'emails.list', title: 'List emails', defaults: { limit: 20 } },
  wait_for_email: {
    operation: 'emails.wait',
    title: 'Wait for an email to come in',
    hint: 'For replies and one-time codes. Note the time before you trigger the email and pass it as since.',
    waits_for: 'message',
    without: ['timeout_seconds', 'view'],
    defaults: { view: 'text' },
  },
  upload_attachment: {
    operation: 'email_attachments.upload',
    title: 'Upload a file to attach to emails',
  },
  list_numbers: { operation: 'numbers.list', title: 'List your phone numbers', defaults: { limit: 20 } },
  lookup_contact: {
    operation: 'contacts.list',
    title: 'Look up a contact',
    hint: 'Find the phone or email of a person by name before you call or write.',
    defaults: { limit: 10 },
  },
  whoami: { operation: 'identity.whoami', title: 'Tell who you are to Parley' },
};

export type RecordTreatment = {
  /** Fields that other people write or choose: they are shown below `untrusted_content`. */
  untrusted?: readonly string[];
  /** Fields that hold a phone number, or a name that somebody chose: the latter is untrusted. */
  untrusted_unless_phone?: readonly string[];
  hidden?: readonly string[];
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

/** How the records of the API are shown to a model. */
export const recordTreatment: Readonly<Record<string, RecordTreatment>> = {
  Email: {
    untrusted: [...email_parties, 'from_name', 'body_text', 'extracted_text', 'message_id', 'in_reply_to'],
    // The server gives the readable words of an HTML body as body_text: markup hides words from people but not from models.
    hidden: ['organization_id', 'body_html', 'raw_url', 'references_ids', 'provider_message_id', 'metadata'],
  },
  EmailListItem: {
    untrusted: email_parties,
    hidden: ['organization_id', 'provider_message_id', 'metadata', 'email_domain_id', 'bcc_addresses'],
  },
  EmailWait: { untrusted: ['code'] },
  EmailAttachmentLink: { untrusted: ['filename', 'content_type'] },
  EmailTimelineEntry: { untrusted: ['detail'] },
  EmailSuppression: { untrusted: ['recipient'] },
  Sms: {
    untrusted: ['body'],
    untrusted_unless_phone: phones,
    hidden: ['organization_id', 'provider_message_id', 'metadata', 'encoding'],
  },
  SmsWait: { untrusted: ['code'] },
  SmsSuppression: { untrusted_unless_phone: ['recipient'] },
  Call: {
    untrusted_unless_phone: phones,
    hidden: ['organization_id', 'provider_call_id', 'metadata'],
  },
  CallTurn: { untrusted: ['text'], hidden: ['timings'] },
  CallTimelineEntry: { untrusted: ['detail'] },
  SandboxPhoneCall: { untrusted_unless_phone: phones },
  SandboxMessage: { untrusted: ['from', 'to', 'message'] },
  Event: { untrusted: ['data'] },
  WebhookAttempt: { untrusted: ['response_body'] },
  AuditEntry: { untrusted: ['detail'] },
  Organization: { untrusted: ['name'] },
  User: { untrusted: ['email', 'name', 'external_subject'] },
  Verification: { untrusted: ['rejection_reason'] },
  ProviderTest: { untrusted: ['error'] },
  DnsRecord: { untrusted: ['found'] },
  PhoneNumber: { hidden: ['organization_id', 'messaging_service_sid'] },
  Contact: { hidden: ['organization_id'] },
};

/** Under this name stand the words that other people wrote. */
export const untrusted_field = 'untrusted_content';
