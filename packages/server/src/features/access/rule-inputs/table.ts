// Who may change each value that the rules for sending and receiving read. A rule cannot be passed by changing what it reads.

/**
 * Who may make a change that loosens a rule; everybody who may call the operation may make a stricter one.
 * `service`: no request changes it. The service writes what it observed, or what one of the others decided.
 */
export type Loosener = 'program' | 'person' | 'operator' | 'service';

export type Entry = { loosened_by: Loosener; because: string };

/** The same answer for several columns. */
const by =
  (loosened_by: Loosener) =>
  <Name extends string>(because: string, ...names: Name[]) =>
    Object.fromEntries(names.map((name) => [name, { loosened_by, because }])) as Record<Name, Entry>;
const person = by('person');
const operator = by('operator');
const program = by('program');
const service = by('service');

/** By table and column. `test/guards/rule-inputs.test.ts` finds the columns that rules read. */
export const rule_inputs = {
  contacts: {
    ...person('Approvals and limits of new recipients trust what a person vouched for.', 'is_vouched'),
    ...person('Only people change the contact of a member.', 'kind'),
    ...person('A zone that a program set only adds a zone to quiet hours.', 'time_zone', 'is_zone_by_person'),
    ...person('It revokes every consent.', 'do_not_contact'),
    ...program('A program that changes it takes the vouching away.', 'phone_e164', 'email', 'email_key'),
  },
  email_domains: {
    ...person('Only a domain that a person had verified vouches for its addresses.', 'is_verified_by_person'),
    ...program('It vouches only together with is_verified_by_person.', 'verification_status'),
    ...program('The approval policy and the owner of the address confirm a forward.', 'forward_to'),
    ...service('It is fixed when the domain is added.', 'domain', 'kind', 'default_address'),
  },
  email_forward_confirmations: {
    ...service(
      'The owner of the address confirms or refuses with a mailed link.',
      'confirmed_at',
      'refused_at',
    ),
    ...service(
      'Stored when the link is mailed.',
      'address',
      'address_key',
      'email_domain_id',
      'requested_at',
    ),
  },
  email_forward_tokens: {
    ...service('Only the mailed link has the token.', 'token_hash', 'confirmation_id', 'kind', 'expires_at'),
  },
  email_suppressions: {
    ...person('Programs need a later email of the recipient.', 'recipient', 'recipient_key'),
    ...program('It decides nothing.', 'reason', 'source'),
    ...service('Who added it last: programs may delete only what a program added.', 'is_by_program'),
  },
  sms_suppressions: {
    ...person('Programs need a later text of the recipient.', 'recipient'),
    ...service('Always sms, and why; both decide nothing.', 'channel', 'reason', 'source'),
    ...service('Who added it last: programs may delete only what a program added.', 'is_by_program'),
  },
  consents: {
    ...program(
      'The entry names who recorded it. It lifts a refusal only as consent_revocations.lifted_at says.',
      'recipient',
      'recipient_key',
      'channels',
      'purposes',
      'basis',
      'expires_at',
    ),
  },
  consent_revocations: {
    ...person('Programs need a later message or call of the recipient on that channel.', 'lifted_at'),
    ...service(
      'What the recipient said, or a stricter change.',
      'recipient_key',
      'channel',
      'consent_id',
      'kind',
      'item_id',
      'conversation_id',
      'quote',
    ),
  },
  suspected_revocations: {
    ...person('A person decides whether it was a refusal.', 'decision', 'decided_at', 'decided_by'),
    ...service('What the recipient wrote.', 'recipient', 'recipient_key', 'channel', 'item_id'),
  },
  sending_rules: {
    ...person(
      'These are the rules. The shared key sets the first one of a server without a person.',
      'approval_policy',
      'contact_rules',
      'quiet_hours',
      'trusted_recipients',
      'version',
      'agent_approval',
    ),
    ...service('Follows budgets and revocations.', 'has_budgets', 'has_call_stops'),
  },
  budgets: {
    ...person(
      'They are rules.',
      'subject_kind',
      'subject_id',
      'channel',
      'budget_window',
      'max_count',
      'max_amount_micros',
    ),
  },
  default_budgets: {
    ...service('Given once to each grant and each key of a device.', 'subject_kind', 'subject_id'),
  },
  budget_uses: {
    ...service('What was sent.', 'budget_id', 'window_start', 'used_count', 'used_micros'),
  },
  budget_reservations: {
    ...service(
      'What calls under way may still use.',
      'reference',
      'budget_id',
      'window_start',
      'count',
      'minutes',
      'price_micros',
    ),
  },
  approvals: {
    ...service(
      'What was requested, and what a person decided about it.',
      'status',
      'terms',
      'object_id',
      'messages',
      'expires_at',
      'quoted_price_micros',
    ),
  },
  approved_recipients: {
    ...service('Recipients of what a person approved.', 'party', 'approved_at'),
  },
  known_parties: {
    ...service('With whom something was exchanged.', 'party', 'last_at', 'counted_at'),
  },
  known_party_fills: { ...service('How far the records were read.', 'filled_until') },
  new_recipient_uses: { ...service('What was sent.', 'channel', 'day', 'used') },
  person_uses: { ...service('What was sent.', 'party', 'channel', 'day', 'used', 'last_at') },
  velocity_minutes: { ...service('What was sent.', 'channel', 'minute', 'count', 'last_at') },
  receive_rules: {
    ...person('Programs may only refuse more.', 'action', 'applies_to'),
    ...service('Fixed when the rule is created, or counted.', 'channel', 'hits', 'last_hit_at'),
    ...program('They decide nothing.', 'labels', 'note'),
  },
  receive_settings: {
    ...person('Programs may only quarantine more.', 'spam', 'unauthenticated', 'virus'),
  },
  receive_blocks: {
    ...service('What was refused.', 'rule_id', 'sender', 'announced_at', 'not_announced'),
  },
  prices: { ...operator('Budgets and approvals count money by them.', 'price_micros', 'item') },
  kill_switches: {
    ...operator('A person stopped the channel. Everybody with the power may stop it.', 'stopped'),
    ...service('Written with stopped.', 'channel', 'changed_at'),
  },
  organizations: {
    ...operator('Limits of the organization.', 'calls_per_hour', 'emails_per_hour', 'sms_per_hour', 'origin'),
    ...operator('Money of the organization.', 'balance_micros'),
    ...service('What is under way.', 'reserved_micros'),
    ...service('Who created it; it never changes.', 'founded_by'),
  },
  ledger_entries: { ...service('The entries of the balance.', 'item', 'reference') },
  fund_reservations: {
    ...service('What is under way.', 'item', 'reference', 'quantity', 'price_micros'),
  },
  exit_requests: {
    ...service('What a person approved.', 'approval_id', 'payload_sha256', 'approved_at', 'used_at'),
  },
  api_keys: { ...service('Fixed when the key is issued.', 'expires_at') },
  agents: { ...service('Fixed when the agent is created.', 'created_by') },
  email_attachments: { ...service('The proof of a consent is kept.', 'expires_at') },
  emails: {
    ...service(
      'What was sent and received.',
      'direction',
      'status',
      'requested_at',
      'from_address',
      'to_addresses',
      'cc_addresses',
      'bcc_addresses',
      'dmarc_verdict',
    ),
    ...program('A message whose sender is not proven counts for nothing, released or not.', 'quarantine'),
  },
  sms_messages: {
    ...service('What was sent and received.', 'direction', 'status', 'requested_at', 'blocked_by'),
  },
  calls: {
    ...service('What was called.', 'direction', 'status', 'requested_at', 'provider_call_id'),
  },
} as const satisfies Record<string, Record<string, Entry>>;
