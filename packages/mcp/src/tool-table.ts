// The default tools, each with the operation it calls. All other operations are available in toolsets by noun, with
// names derived from the operation ids.
import { callControlTools } from './call-control-tools.ts';
import type { ToolEntry } from './tool-entry.ts';

/** Inputs for programs that only distract a model. */
const technical = [
  'headers',
  'metadata',
  'track_opens',
  'track_clicks',
  'list_unsubscribe',
  // Rules depend on it: a model should not choose the one that passes.
  'purpose',
] as const;

const sent_email = [
  'id',
  'status',
  'end_reason',
  'conversation_id',
  'from_address',
  'to_addresses',
  'sent_at',
  'hold',
];

/** Settings of an agent; a model that wants others names another agent. */
const call_settings = ['llm', 'tools', 'destinations', 'engines', 'voicemail', 'timezone'] as const;

/** Filters of lists that search has too. */
const list_filters = ['q', 'from', 'since', 'until', 'label', 'metadata', 'held'] as const;

export const defaultTools: Readonly<Record<string, ToolEntry>> = {
  place_call: {
    operation: 'calls.create',
    title: 'Place a phone call',
    description:
      'Call a phone number and let an agent speak, guided by system_prompt (the task) and first_message. Use it when something must be said or asked by voice. Costs money and rings a real phone; set recipient_consent to true only if the recipient agreed. Returns the queued call immediately; follow it with wait_for, then get_call_transcript.',
    without: [...call_settings, 'success_criteria', 'summarize', 'metadata', 'purpose'],
    returns: ['id', 'status', 'end_reason', 'from', 'to', 'conversation_id', 'requested_at', 'hold'],
  },
  get_call: {
    operation: 'calls.get',
    title: 'Read a call',
    description:
      'Get one call by its id: status, end_reason, times, and after the end its summary and result (result_status pending: soon). To wait for the end use wait_for. Returns the call.',
    without: ['wait_seconds', 'wait_for'],
  },
  get_call_transcript: {
    operation: 'calls.transcript',
    title: 'Read the transcript of a call',
    description:
      'Read the transcript during or after a call. Use it to learn what the person said. Returns the turns in order with speaker (agent or person), text and time; is_final says whether the call is over.',
  },
  cancel_call: {
    operation: 'calls.cancel',
    title: 'End or cancel a call',
    description:
      'Stop a call: an unanswered call is canceled, an answered call is hung up. Returns the call; fails if the call has already ended.',
    returns: ['id', 'status', 'end_reason'],
  },
  ...callControlTools,
  list_conversations: {
    operation: 'conversations.list',
    title: 'List conversations',
    description:
      'Find out who wrote or called, and what is not answered yet: one entry for each person over email, texts and calls, newest first. Use it when you do not have an id; then get_conversation. Returns a page of conversations and next_cursor.',
    without: ['assignee_id', 'contact_id', 'label', 'since', 'until'],
    defaults: { limit: 10 },
  },
  get_conversation: {
    operation: 'conversations.items',
    title: 'Read a conversation',
    description:
      'Read the emails, texts and calls exchanged with one person, with their status. conversation_id may also be that of an email, text or call. Returns a page of items, newest first, and next_cursor; authenticity says whether the sender is proven.',
    without: ['thread_id', 'order'],
    defaults: { limit: 10 },
  },
  reply: {
    operation: 'conversations.reply',
    title: 'Reply in a conversation',
    description:
      'Answer the last email or text of a conversation. It goes to its sender only. Returns the id and status of the new message; if hold is set, it is not sent yet.',
    without: ['subject'],
  },
  search: {
    operation: 'search.query',
    title: 'Search messages, calls and contacts',
    description:
      'Find earlier emails, texts, calls and people by words, newest first. Use it when you know what was said or who said it, but not the id. Returns items with snippets, contacts and next_cursor.',
    without: ['in', 'from', 'to', 'since', 'until', 'label', 'metadata', 'has'],
    defaults: { limit: 10 },
  },
  send_sms: {
    operation: 'sms.create',
    title: 'Send a text',
    description:
      'Send a text message to a phone number. Costs money and reaches a real phone; set recipient_consent to true only if the recipient agreed. Returns the queued text; get_conversation shows the delivery later. With scheduled_at, or if a rule holds it back, hold says what it waits for; stop it with cancel_sms. To get the reply use wait_for.',
    without: ['metadata', 'purpose'],
    returns: ['id', 'status', 'from', 'to', 'segments', 'conversation_id', 'requested_at', 'hold'],
  },
  cancel_sms: {
    operation: 'sms.cancel',
    title: 'Cancel a text that waits',
    description:
      'Stop a text that is scheduled or held back. Returns the canceled text; fails if it was already sent.',
    returns: ['id', 'status'],
  },
  send_email: {
    operation: 'emails.create',
    title: 'Send an email',
    description:
      "Send a new email from the organization's address; to answer one use reply. Set recipient_consent to true only if the recipient agreed. Returns the email with status sent. With scheduled_at, or if a rule holds it back, the status is queued and hold says what it waits for; stop it with cancel_email. If it fails with email_unconfirmed, it may have been delivered: do not send it again, check it with get_email.",
    without: technical,
    returns: sent_email,
  },
  cancel_email: {
    operation: 'emails.cancel',
    title: 'Cancel an email that waits',
    description:
      'Stop an email that is scheduled or held back. Returns the canceled email; fails if it was already sent.',
    returns: ['id', 'status', 'end_reason'],
  },
  get_email: {
    operation: 'emails.get',
    title: 'Read an email',
    description:
      'Read one email in full: readable text, results of the spam and virus checks, attachments. extracted_text contains only the new text of a reply. Returns the email; text by other people is in untrusted_content.',
    without: ['view'],
    defaults: { view: 'text' },
  },
  upload_attachment: {
    operation: 'email_attachments.upload',
    title: 'Upload a file to attach to emails',
    description:
      'Upload a file before you attach it to emails. Returns its id for attachment_ids of send_email or reply. The id can be used in many emails.',
  },
  list_numbers: {
    operation: 'numbers.list',
    title: 'List your phone numbers',
    description:
      'List the phone numbers of the organization with their capabilities. Use it to choose a number to call or text from. Returns a page of numbers and next_cursor.',
    defaults: { limit: 20 },
  },
  wait_for: {
    operation: 'waits.create',
    title: 'Wait for something to happen',
    description:
      'Wait for the first of several things: a reply in a conversation, an email, a text, a one-time code, the end of a call, the outcome of a message, an approval. Pass any_of, or wait_id to go on with an earlier wait. Note the time before you trigger a message and pass it as since, so that none is missed. Returns wait_id, status and matched; pending: the time was up.',
    waits_for: 'anything',
    without: ['expires_at', 'metadata', 'wait_seconds'],
  },
  lookup_contact: {
    operation: 'contacts.list',
    title: 'Look up a contact',
    description:
      "Find a person's phone number or email address by name before you call or write. Returns matching contacts and next_cursor.",
    defaults: { limit: 10 },
  },
  whoami: {
    operation: 'identity.whoami',
    title: 'Get the identity of this connection',
    description:
      'Get the organization and credential that these tools use. Use it when an operation is rejected, or at the start. Returns the identity.',
  },
};

/** Operations for people: their input is identity documents and personal data, which must not pass through a model. */
export const people_only: ReadonlySet<string> = new Set([
  'verifications.update',
  'verifications.submit',
  'verifications.cancel',
  'verifications.delete_document',
  'verifications.record',
  // A model must not learn the shared key, which the link gives.
  'sign_in_links.create',
]);

/** Tools of other toolsets with a name and words of their own. */
export const namedTools: Readonly<Record<string, ToolEntry>> = {
  verifications_create: {
    operation: 'verifications.create',
    without: ['answers', 'address', 'registration_number'],
    title: 'Start a verification',
    description:
      'Start a registration with the carrier. A person must answer what requirements lists as missing, in the console. Returns the verification.',
  },
  explain: {
    operation: 'explain.object',
    title: 'Explain what happened',
    description:
      'Find out why a call, email, text, webhook delivery or approval is in its state. Use it when something failed or waits. Returns a verdict (code, who caused it, fix, retry) and every step since the request.',
  },
  list_calls: {
    operation: 'calls.list',
    without: list_filters,
    title: 'List calls',
    description:
      'Find earlier calls, newest first, by status or by number. Use it when you do not have the id. Returns a page of calls and next_cursor.',
    defaults: { limit: 20 },
  },
  list_sms: {
    operation: 'sms.list',
    without: list_filters,
    title: 'List texts',
    description:
      'Read earlier texts, sent and received, newest first. Use it to see a conversation or the status of a text. Returns a page of texts and next_cursor.',
    defaults: { limit: 20 },
  },
  list_emails: {
    operation: 'emails.list',
    without: [...list_filters, 'to'],
    title: 'List emails',
    description:
      'Find earlier emails, sent and received, newest first, without their bodies. Use it when you do not have the id; then get_email. Returns a page of emails and next_cursor.',
    defaults: { limit: 20 },
  },
  reply_email: {
    operation: 'emails.reply',
    title: 'Reply to an email',
    description:
      'Reply to an email in its conversation. The reply is sent to the sender (for one of your own emails, to its recipients). Returns the sent email.',
    without: technical,
    returns: sent_email,
  },
  wait_for_call: {
    operation: 'calls.get',
    title: 'Wait until a call is over',
    description:
      'Wait until a call that you placed is over. Returns is_over and the call. If is_over is false the time was up: use the tool again.',
    waits_for: 'call',
    without: ['wait_seconds', 'wait_for'],
  },
  wait_for_sms: {
    operation: 'sms.wait',
    title: 'Wait for an inbound text',
    description:
      'Wait for an inbound text, such as a reply or a one-time code. Note the time before you trigger the text and pass it as since, so that none is missed. Returns the text and the code found in it, or null when the time is up.',
    waits_for: 'message',
    without: ['timeout_seconds'],
  },
  wait_for_email: {
    operation: 'emails.wait',
    title: 'Wait for an inbound email',
    description:
      'Wait for an inbound email, such as a reply or a sign-up code. Note the time before you trigger the email and pass it as since, so that none is missed. Returns the email and the code found in it, or null when the time is up.',
    waits_for: 'message',
    without: ['timeout_seconds', 'view'],
    defaults: { view: 'text' },
  },
  wait_for_approval: {
    operation: 'approvals.get',
    title: 'Wait for an approval',
    description:
      'Wait until a person has decided about something that is held for approval. Returns its status: approved: it is sent now; rejected, expired or canceled: never; pending: the time was up.',
    waits_for: 'approval',
    without: ['wait_seconds'],
    returns: ['status', 'note'],
  },
};
