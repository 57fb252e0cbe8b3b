-- Made by `npm run generate` from the migrations; read it, do not run it.

create table agents (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  system_prompt text,
  first_message text,
  language text not null,
  voice text,
  llm_model text,
  tools text[] not null,
  max_duration_seconds integer not null,
  ai_disclosure boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint agents_pkey PRIMARY KEY (id)
);
CREATE INDEX agents_newest ON public.agents USING btree (organization_id, id);

create table api_keys (
  id uuid not null,
  organization_id uuid not null,
  user_id uuid not null,
  name text not null,
  start text not null,
  hash text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts.users(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_newest ON public.api_keys USING btree (organization_id, id);

create table audit_entries (
  id uuid not null,
  organization_id uuid,
  user_id uuid,
  credential_id text,
  action text not null,
  object_id text,
  ip text,
  request_id text,
  detail jsonb not null,
  created_at timestamp with time zone not null,
  constraint audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_of_organization ON public.audit_entries USING btree (organization_id, id);

create table call_events (
  id uuid not null,
  organization_id uuid not null,
  call_id uuid not null,
  kind text not null,
  occurred_at timestamp with time zone not null,
  detail json not null,
  constraint call_events_pkey PRIMARY KEY (id)
);
CREATE INDEX call_events_newest ON public.call_events USING btree (call_id, id);

create table call_turns (
  id uuid not null,
  organization_id uuid not null,
  call_id uuid not null,
  speaker text not null,
  text text not null,
  started_ms integer not null,
  ended_ms integer not null,
  is_interrupted boolean not null,
  timings json,
  constraint call_turns_pkey PRIMARY KEY (id),
  constraint call_turns_speaker_check CHECK ((speaker = ANY (ARRAY['agent'::text, 'person'::text])))
);
CREATE INDEX call_turns_order ON public.call_turns USING btree (call_id, started_ms);

create table calls (
  id uuid not null,
  organization_id uuid not null,
  conversation_id uuid not null,
  agent_id uuid,
  direction text not null,
  status text not null,
  end_reason text,
  "from" text,
  "to" text not null,
  provider text,
  provider_call_id text,
  answered_by text,
  requested_at timestamp with time zone not null,
  started_at timestamp with time zone,
  ringing_at timestamp with time zone,
  answered_at timestamp with time zone,
  ended_at timestamp with time zone,
  duration_seconds integer,
  metadata json not null,
  ring_timeout_seconds integer not null,
  is_recorded boolean not null,
  plan json not null,
  brain_key_sealed text,
  recording_key text,
  hang_up_requested_at timestamp with time zone,
  lease_until timestamp with time zone,
  admission text,
  recording_bytes bigint,
  constraint calls_answered_by_check CHECK ((answered_by = ANY (ARRAY['human'::text, 'machine'::text, 'unknown'::text]))),
  constraint calls_direction_check CHECK ((direction = ANY (ARRAY['outbound'::text, 'inbound'::text]))),
  constraint calls_pkey PRIMARY KEY (id),
  constraint calls_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'dialing'::text, 'ringing'::text, 'in_progress'::text, 'completed'::text, 'failed'::text, 'busy'::text, 'no_answer'::text, 'canceled'::text])))
);
CREATE UNIQUE INDEX calls_carrier ON public.calls USING btree (provider, provider_call_id) WHERE (provider_call_id IS NOT NULL);
CREATE INDEX calls_led ON public.calls USING btree (lease_until) WHERE (status = ANY (ARRAY['dialing'::text, 'ringing'::text, 'in_progress'::text]));
CREATE INDEX calls_newest ON public.calls USING btree (organization_id, id);
CREATE INDEX calls_queue ON public.calls USING btree (id) WHERE (status = 'queued'::text);
CREATE INDEX calls_recipient ON public.calls USING btree (organization_id, "to", id);
CREATE INDEX calls_status ON public.calls USING btree (organization_id, status, id);

create table contacts (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  name text not null,
  phone_e164 text,
  email text,
  role text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  email_key text,
  search_text text not null,
  constraint contacts_check CHECK (((phone_e164 IS NOT NULL) OR (email IS NOT NULL))),
  constraint contacts_kind_check CHECK ((kind = ANY (ARRAY['member'::text, 'contact'::text]))),
  constraint contacts_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX contacts_email ON public.contacts USING btree (organization_id, email_key);
CREATE INDEX contacts_newest ON public.contacts USING btree (organization_id, id);
CREATE UNIQUE INDEX contacts_phone ON public.contacts USING btree (organization_id, phone_e164);

create table credential_changes (
  only_row boolean not null default true,
  version bigint not null,
  constraint credential_changes_only_row_check CHECK (only_row),
  constraint credential_changes_pkey PRIMARY KEY (only_row)
);

create table device_logins (
  id uuid not null,
  device_code_hash text not null,
  user_code text not null,
  client_id text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  last_polled_at timestamp with time zone,
  interval_seconds integer not null,
  user_id uuid,
  organization_id uuid,
  approved_at timestamp with time zone,
  denied_at timestamp with time zone,
  used_at timestamp with time zone,
  key_expires_at timestamp with time zone,
  constraint device_logins_device_code_hash_key UNIQUE (device_code_hash),
  constraint device_logins_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint device_logins_pkey PRIMARY KEY (id),
  constraint device_logins_user_code_key UNIQUE (user_code),
  constraint device_logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts.users(id) ON DELETE CASCADE
);
CREATE INDEX device_logins_age ON public.device_logins USING btree (expires_at);

create table email_attachment_uses (
  email_id uuid not null,
  attachment_id uuid not null,
  place integer not null,
  constraint email_attachment_uses_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES email_attachments(id),
  constraint email_attachment_uses_email_id_fkey FOREIGN KEY (email_id) REFERENCES emails(id) ON DELETE CASCADE,
  constraint email_attachment_uses_pkey PRIMARY KEY (email_id, attachment_id)
);
CREATE INDEX email_attachment_uses_of ON public.email_attachment_uses USING btree (attachment_id);

create table email_attachments (
  id uuid not null,
  organization_id uuid not null,
  filename text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  storage_key text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint email_attachments_pkey PRIMARY KEY (id)
);
CREATE INDEX email_attachments_expiry ON public.email_attachments USING btree (expires_at);

create table email_counters (
  organization_id uuid not null,
  hour_start timestamp with time zone not null,
  slot smallint not null,
  sent integer not null,
  delivered integer not null,
  delivery_delayed integer not null,
  bounced integer not null,
  bounced_hard integer not null,
  complained integer not null,
  rejected integer not null,
  opened integer not null,
  clicked integer not null,
  unique_opened integer not null,
  unique_clicked integer not null,
  constraint email_counters_pkey PRIMARY KEY (organization_id, hour_start, slot)
);

create table email_domains (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  domain text not null,
  local_prefix_user text,
  local_prefix_org text,
  default_address text not null,
  verification_status text not null,
  dns_records json not null,
  dkim_selector text,
  dkim_private_key text,
  mail_from_domain text not null,
  mail_from_status text not null,
  provider text not null,
  verified_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  inbound_enabled boolean not null,
  forward_to text[] not null,
  forward_rate_per_hour integer not null,
  mx_ready boolean not null,
  constraint email_domains_kind_check CHECK ((kind = ANY (ARRAY['service_mail'::text, 'custom'::text]))),
  constraint email_domains_mail_from_status_check CHECK ((mail_from_status = ANY (ARRAY['pending'::text, 'verified'::text, 'failed'::text]))),
  constraint email_domains_pkey PRIMARY KEY (id),
  constraint email_domains_verification_status_check CHECK ((verification_status = ANY (ARRAY['pending'::text, 'verified'::text, 'failed'::text])))
);
CREATE UNIQUE INDEX email_domains_address ON public.email_domains USING btree (default_address) WHERE (kind = 'service_mail'::text);
CREATE INDEX email_domains_newest ON public.email_domains USING btree (organization_id, id);
CREATE UNIQUE INDEX email_domains_own ON public.email_domains USING btree (organization_id, domain) WHERE (kind = 'custom'::text);
CREATE UNIQUE INDEX email_domains_verified ON public.email_domains USING btree (domain) WHERE ((kind = 'custom'::text) AND (verification_status = 'verified'::text));

create table email_events (
  id uuid not null,
  organization_id uuid not null,
  email_id uuid not null,
  kind text not null,
  occurred_at timestamp with time zone not null,
  detail json not null,
  dedupe_key text not null,
  counted text[] not null,
  constraint email_events_pkey PRIMARY KEY (email_id, dedupe_key)
);
CREATE INDEX email_events_in_time ON public.email_events USING btree (organization_id, occurred_at);

create table email_forward_confirmations (
  id uuid not null,
  organization_id uuid not null,
  email_domain_id uuid not null,
  address text not null,
  address_key text not null,
  requested_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  refused_at timestamp with time zone,
  constraint email_forward_confirmations_email_domain_id_address_key_key UNIQUE (email_domain_id, address_key),
  constraint email_forward_confirmations_pkey PRIMARY KEY (id)
);
CREATE INDEX email_forward_confirmations_people ON public.email_forward_confirmations USING btree (organization_id, address_key);

create table email_forward_tokens (
  token_hash text not null,
  confirmation_id uuid not null,
  kind text not null,
  expires_at timestamp with time zone,
  constraint email_forward_tokens_confirmation_id_fkey FOREIGN KEY (confirmation_id) REFERENCES email_forward_confirmations(id) ON DELETE CASCADE,
  constraint email_forward_tokens_kind_check CHECK ((kind = ANY (ARRAY['confirm'::text, 'stop'::text]))),
  constraint email_forward_tokens_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX email_forward_tokens_of ON public.email_forward_tokens USING btree (confirmation_id);

create table email_forwards (
  email_id uuid not null,
  email_domain_id uuid not null,
  organization_id uuid not null,
  forwarded_at timestamp with time zone not null,
  handovers smallint not null default 0,
  settled_at timestamp with time zone,
  admission text,
  constraint email_forwards_email_id_fkey FOREIGN KEY (email_id) REFERENCES emails(id) ON DELETE CASCADE,
  constraint email_forwards_pkey PRIMARY KEY (email_id, email_domain_id)
);
CREATE INDEX email_forwards_of_domain ON public.email_forwards USING btree (email_domain_id, forwarded_at);

create table email_suppressions (
  id uuid not null,
  organization_id uuid not null,
  recipient text not null,
  recipient_key text not null,
  reason text not null,
  source text not null,
  created_at timestamp with time zone not null,
  constraint email_suppressions_pkey PRIMARY KEY (id),
  constraint email_suppressions_reason_check CHECK ((reason = ANY (ARRAY['hard_bounce'::text, 'complaint'::text, 'unsubscribe'::text, 'manual'::text])))
);
CREATE INDEX email_suppressions_newest ON public.email_suppressions USING btree (organization_id, id);
CREATE UNIQUE INDEX email_suppressions_recipient ON public.email_suppressions USING btree (organization_id, recipient_key);

create table emails (
  id uuid not null,
  organization_id uuid not null,
  conversation_id uuid not null,
  email_domain_id uuid,
  direction text not null,
  from_address text not null,
  from_name text,
  to_addresses text[] not null,
  cc_addresses text[] not null,
  bcc_addresses text[] not null,
  reply_to text,
  subject text not null,
  status text not null,
  end_reason text,
  provider text,
  provider_message_id text,
  requested_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  failed_at timestamp with time zone,
  metadata json not null,
  body_text text,
  body_html text,
  message_id text,
  in_reply_to text,
  references_ids text[] not null,
  spam_verdict text,
  virus_verdict text,
  dkim_verdict text,
  spf_verdict text,
  dmarc_verdict text,
  provider_received_at timestamp with time zone,
  last_event_at timestamp with time zone,
  raw_key text,
  composition json,
  thread_key text not null,
  send_deadline timestamp with time zone,
  idempotency_operation text,
  idempotency_key text,
  dedupe_key text,
  is_auto_reply boolean,
  arrival json,
  admission text,
  raw_bytes bigint,
  constraint emails_direction_check CHECK ((direction = ANY (ARRAY['outbound'::text, 'inbound'::text]))),
  constraint emails_end_reason_check CHECK ((end_reason = ANY (ARRAY['smtp_rejected'::text, 'connection_failed'::text, 'timeout'::text, 'provider_error'::text, 'hard_bounce'::text, 'not_allowed'::text, 'unconfirmed'::text]))),
  constraint emails_pkey PRIMARY KEY (id),
  constraint emails_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'bounced'::text, 'complained'::text, 'received'::text])))
);
CREATE INDEX emails_by_direction ON public.emails USING btree (organization_id, direction, id);
CREATE INDEX emails_by_message_id ON public.emails USING btree (organization_id, message_id);
CREATE INDEX emails_by_provider_id ON public.emails USING btree (provider_message_id);
CREATE INDEX emails_by_status ON public.emails USING btree (organization_id, status, id);
CREATE INDEX emails_by_thread ON public.emails USING btree (organization_id, thread_key, requested_at);
CREATE INDEX emails_newest ON public.emails USING btree (organization_id, id);
CREATE INDEX emails_of_conversation ON public.emails USING btree (organization_id, conversation_id, id);
CREATE UNIQUE INDEX emails_received_once ON public.emails USING btree (organization_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX emails_under_way ON public.emails USING btree (send_deadline) WHERE (status = 'queued'::text);

create table events (
  id uuid not null,
  organization_id uuid not null,
  type text not null,
  resource_id uuid not null,
  source_id uuid,
  created_at timestamp with time zone not null,
  payload text not null,
  "position" xid8 not null default pg_current_xact_id(),
  source_name text,
  constraint events_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX events_in_order ON public.events USING btree (organization_id, "position", id);
CREATE INDEX events_of_resource ON public.events USING btree (organization_id, resource_id, id);
CREATE INDEX events_of_type ON public.events USING btree (organization_id, type, id);

create table fund_reservations (
  organization_id uuid not null,
  item text not null,
  reference text not null,
  quantity integer not null,
  price_micros bigint not null,
  created_at timestamp with time zone not null,
  constraint fund_reservations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint fund_reservations_pkey PRIMARY KEY (organization_id, item, reference),
  constraint fund_reservations_price_micros_check CHECK ((price_micros >= 0)),
  constraint fund_reservations_quantity_check CHECK ((quantity > 0))
);

create table idempotency_keys (
  organization_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  status integer,
  body text,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

create table invitations (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  role text not null,
  token_hash text not null,
  invited_by uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES accounts.users(id) ON DELETE SET NULL,
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint invitations_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX invitations_newest ON public.invitations USING btree (organization_id, id);

create table jobs (
  id uuid not null,
  kind text not null,
  payload jsonb not null,
  unique_key text,
  run_at timestamp with time zone not null,
  attempts integer not null,
  claims integer not null,
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_unique_key_key UNIQUE (unique_key)
);
CREATE INDEX jobs_due ON public.jobs USING btree (run_at);

create table kill_switches (
  channel text not null,
  stopped boolean not null,
  changed_at timestamp with time zone not null,
  constraint kill_switches_channel_check CHECK ((channel = ANY (ARRAY['calls'::text, 'emails'::text, 'sms'::text]))),
  constraint kill_switches_pkey PRIMARY KEY (channel)
);

create table ledger_entries (
  id uuid not null,
  organization_id uuid not null,
  kind text not null,
  amount_micros bigint not null,
  balance_micros bigint not null,
  item text,
  quantity integer,
  reference text,
  note text,
  created_at timestamp with time zone not null,
  constraint ledger_entries_kind_check CHECK ((kind = ANY (ARRAY['credit'::text, 'charge'::text]))),
  constraint ledger_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint ledger_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX ledger_entries_newest ON public.ledger_entries USING btree (organization_id, id);
CREATE UNIQUE INDEX ledger_entries_once ON public.ledger_entries USING btree (organization_id, item, reference);

create table master_key (
  only_row boolean not null default true,
  key_id text not null,
  kept_key text,
  signing_key_sealed text,
  constraint master_key_only_row_check CHECK (only_row),
  constraint master_key_pkey PRIMARY KEY (only_row)
);

create table members (
  id uuid not null,
  organization_id uuid not null,
  user_id uuid not null,
  role text not null,
  contact_id uuid,
  created_at timestamp with time zone not null,
  constraint members_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contacts(id) ON DELETE SET NULL,
  constraint members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint members_pkey PRIMARY KEY (id),
  constraint members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts.users(id) ON DELETE CASCADE
);
CREATE INDEX members_newest ON public.members USING btree (organization_id, id);
CREATE UNIQUE INDEX members_of_organization ON public.members USING btree (organization_id, user_id);
CREATE INDEX members_of_user ON public.members USING btree (user_id);

create table migrations (
  name text not null,
  hash text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table number_quotes (
  id uuid not null,
  organization_id uuid not null,
  provider text not null,
  e164 text,
  pattern text,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  monthly_cents integer,
  setup_cents integer,
  currency text not null,
  readiness text not null,
  expires_at timestamp with time zone not null,
  constraint number_quotes_pkey PRIMARY KEY (id),
  constraint number_quotes_readiness_check CHECK ((readiness = ANY (ARRAY['ready'::text, 'verification_required'::text])))
);
CREATE INDEX number_quotes_age ON public.number_quotes USING btree (expires_at);

create table numbers (
  id uuid not null,
  organization_id uuid not null,
  provider text not null,
  provider_number_id text,
  e164 text not null,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  provisioning_state text not null,
  failure_reason text,
  messaging_service_sid text,
  voice_agent_id uuid,
  sms_agent_id uuid,
  inbound_registered boolean not null,
  monthly_cents integer,
  setup_cents integer,
  currency text not null,
  verification_reference text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  released_at timestamp with time zone,
  charged_until timestamp with time zone,
  constraint numbers_number_type_check CHECK ((number_type = ANY (ARRAY['local'::text, 'mobile'::text, 'toll_free'::text, 'national'::text]))),
  constraint numbers_pkey PRIMARY KEY (id),
  constraint numbers_provisioning_state_check CHECK ((provisioning_state = ANY (ARRAY['pending'::text, 'active'::text, 'failed'::text, 'released'::text]))),
  constraint numbers_sms_agent_id_fkey FOREIGN KEY (sms_agent_id) REFERENCES agents(id) ON DELETE SET NULL,
  constraint numbers_voice_agent_id_fkey FOREIGN KEY (voice_agent_id) REFERENCES agents(id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX numbers_held ON public.numbers USING btree (e164) WHERE (provisioning_state = ANY (ARRAY['pending'::text, 'active'::text]));
CREATE INDEX numbers_newest ON public.numbers USING btree (organization_id, id);
CREATE INDEX numbers_sms_agent ON public.numbers USING btree (sms_agent_id);
CREATE INDEX numbers_to_charge ON public.numbers USING btree (charged_until) WHERE (provisioning_state = 'active'::text);
CREATE INDEX numbers_voice_agent ON public.numbers USING btree (voice_agent_id);

create table object_sweep (
  only_row boolean not null default true,
  owner uuid not null,
  reached text,
  began_at timestamp with time zone not null,
  constraint object_sweep_only_row_check CHECK (only_row),
  constraint object_sweep_pkey PRIMARY KEY (only_row)
);

create table organizations (
  id uuid not null,
  name text not null,
  origin text not null,
  calls_per_hour integer,
  emails_per_hour integer,
  sms_per_hour integer,
  balance_micros bigint not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  reserved_micros bigint not null default 0,
  constraint organizations_origin_check CHECK ((origin = ANY (ARRAY['human'::text, 'agent'::text]))),
  constraint organizations_pkey PRIMARY KEY (id)
);

create table pool_numbers (
  id uuid not null,
  provider text not null,
  e164 text not null,
  country_code text not null,
  number_type text not null,
  capabilities text[] not null,
  provisioning_state text not null,
  bound_call_id uuid,
  bound_at timestamp with time zone,
  carrier_call_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint pool_numbers_bound_call_id_key UNIQUE (bound_call_id),
  constraint pool_numbers_e164_key UNIQUE (e164),
  constraint pool_numbers_pkey PRIMARY KEY (id),
  constraint pool_numbers_provisioning_state_check CHECK ((provisioning_state = ANY (ARRAY['active'::text, 'failed'::text])))
);

create table prices (
  item text not null,
  price_micros bigint not null,
  constraint prices_item_check CHECK ((item = ANY (ARRAY['call_minute'::text, 'sms_segment'::text, 'number_setup'::text, 'number_month'::text, 'inbound_email'::text]))),
  constraint prices_pkey PRIMARY KEY (item),
  constraint prices_price_micros_check CHECK ((price_micros >= 0))
);

create table provider_settings (
  organization_id uuid not null,
  layer text not null,
  provider text not null,
  key_sealed text not null,
  key_last4 text not null,
  key_set_at timestamp with time zone not null,
  params jsonb not null,
  fallback_enabled boolean not null,
  is_active boolean not null,
  constraint provider_settings_layer_check CHECK ((layer = ANY (ARRAY['llm'::text, 'stt'::text, 'tts'::text]))),
  constraint provider_settings_pkey PRIMARY KEY (organization_id, layer, provider)
);
CREATE UNIQUE INDEX provider_settings_active ON public.provider_settings USING btree (organization_id, layer) WHERE is_active;

create unlogged table rate_buckets (
  key text not null,
  full_at timestamp with time zone not null,
  granted integer not null,
  constraint rate_buckets_pkey PRIMARY KEY (key)
);

create table sandbox_clock (
  only_row boolean not null default true,
  offset_ms bigint not null,
  constraint sandbox_clock_only_row_check CHECK (only_row),
  constraint sandbox_clock_pkey PRIMARY KEY (only_row)
);

create table sandbox_outbox (
  id uuid not null,
  organization_id uuid not null,
  channel text not null,
  resource_id uuid not null,
  handed_at timestamp with time zone not null,
  sender text not null,
  recipients text[] not null,
  message json not null,
  constraint sandbox_outbox_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'call'::text]))),
  constraint sandbox_outbox_pkey PRIMARY KEY (organization_id, id)
);

create table service_mail_keys (
  domain text not null,
  selector text not null,
  public_key text not null,
  private_key text not null,
  created_at timestamp with time zone not null,
  constraint service_mail_keys_pkey PRIMARY KEY (domain)
);

create table sign_in_places (
  user_id uuid not null,
  place_hash text not null,
  last_used_at timestamp with time zone not null,
  constraint sign_in_places_pkey PRIMARY KEY (user_id, place_hash),
  constraint sign_in_places_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts.users(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_places_age ON public.sign_in_places USING btree (last_used_at);

create table sign_ups (
  id uuid not null,
  token_hash text not null,
  email text not null,
  name text not null,
  password_hash text,
  code_hash text,
  attempts integer not null default 0,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint sign_ups_pkey PRIMARY KEY (id),
  constraint sign_ups_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX sign_ups_age ON public.sign_ups USING btree (expires_at);
CREATE INDEX sign_ups_of_address ON public.sign_ups USING btree (email);

create table sms_messages (
  id uuid not null,
  organization_id uuid not null,
  conversation_id uuid not null,
  direction text not null,
  "from" text not null,
  "to" text not null,
  body text not null,
  status text not null,
  error_code text,
  segments integer not null,
  encoding text not null,
  provider text not null,
  provider_message_id text,
  requested_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  failed_at timestamp with time zone,
  metadata json not null,
  origin text not null,
  answers_id uuid,
  is_shared_sender boolean not null,
  next_attempt_at timestamp with time zone,
  attempts integer not null,
  claims integer not null,
  handed_at timestamp with time zone,
  admission text,
  constraint sms_messages_direction_check CHECK ((direction = ANY (ARRAY['outbound'::text, 'inbound'::text]))),
  constraint sms_messages_origin_check CHECK ((origin = ANY (ARRAY['api'::text, 'agent'::text, 'keyword'::text, 'carrier'::text]))),
  constraint sms_messages_pkey PRIMARY KEY (id),
  constraint sms_messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'delivered'::text, 'undelivered'::text, 'failed'::text, 'received'::text])))
);
CREATE UNIQUE INDEX sms_messages_answers ON public.sms_messages USING btree (answers_id) WHERE (answers_id IS NOT NULL);
CREATE UNIQUE INDEX sms_messages_carrier ON public.sms_messages USING btree (provider, provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX sms_messages_conversation ON public.sms_messages USING btree (organization_id, conversation_id, id);
CREATE INDEX sms_messages_due ON public.sms_messages USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX sms_messages_inbound ON public.sms_messages USING btree (organization_id, id) WHERE (direction = 'inbound'::text);
CREATE INDEX sms_messages_newest ON public.sms_messages USING btree (organization_id, id);
CREATE INDEX sms_messages_shared_sender ON public.sms_messages USING btree ("to", id) WHERE is_shared_sender;

create table sms_sender_ids (
  organization_id uuid not null,
  custom_sender_id text,
  constraint sms_sender_ids_pkey PRIMARY KEY (organization_id)
);

create table sms_suppressions (
  id uuid not null,
  organization_id uuid not null,
  recipient text not null,
  channel text not null,
  reason text not null,
  source text not null,
  created_at timestamp with time zone not null,
  constraint sms_suppressions_channel_check CHECK ((channel = 'sms'::text)),
  constraint sms_suppressions_organization_id_channel_recipient_key UNIQUE (organization_id, channel, recipient),
  constraint sms_suppressions_pkey PRIMARY KEY (id),
  constraint sms_suppressions_reason_check CHECK ((reason = ANY (ARRAY['opt_out'::text, 'carrier_refusal'::text, 'manual'::text]))),
  constraint sms_suppressions_source_check CHECK ((source = ANY (ARRAY['keyword'::text, 'carrier'::text, 'api'::text])))
);
CREATE INDEX sms_suppressions_newest ON public.sms_suppressions USING btree (organization_id, id);

create table system_mails (
  id uuid not null,
  organization_id uuid,
  kind text not null,
  reference text not null,
  message_sealed text,
  attempts integer not null default 0,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  failed_at timestamp with time zone,
  failure text,
  constraint system_mails_pkey PRIMARY KEY (id)
);
CREATE INDEX system_mails_age ON public.system_mails USING btree (created_at);
CREATE UNIQUE INDEX system_mails_once ON public.system_mails USING btree (kind, reference);

create table velocity_minutes (
  organization_id uuid not null,
  channel text not null,
  minute timestamp with time zone not null,
  count integer not null,
  last_at timestamp with time zone,
  constraint velocity_minutes_pkey PRIMARY KEY (organization_id, channel, minute)
);
CREATE INDEX velocity_minutes_age ON public.velocity_minutes USING btree (minute);

create table verifications (
  id uuid not null,
  organization_id uuid not null,
  provider text not null,
  provider_verification_id text,
  country_code text not null,
  number_type text not null,
  subject_type text not null,
  subject_name text not null,
  address json,
  registration_number text,
  state text not null,
  rejection_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  submitted_at timestamp with time zone,
  approved_at timestamp with time zone,
  constraint verifications_pkey PRIMARY KEY (id),
  constraint verifications_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'submitted'::text, 'in_review'::text, 'approved'::text, 'rejected'::text, 'canceled'::text])))
);
CREATE INDEX verifications_newest ON public.verifications USING btree (organization_id, id);

create table webhook_deliveries (
  id uuid not null,
  organization_id uuid not null,
  subscription_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  test_payload text,
  status text not null,
  ladder_left integer not null,
  first_attempt_at timestamp with time zone,
  claimable_at timestamp with time zone not null,
  is_leased boolean not null,
  claim_no integer not null,
  is_manual boolean not null,
  attempts text not null,
  created_at timestamp with time zone not null,
  delivered_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (subscription_id, id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);
CREATE INDEX webhook_deliveries_dead ON public.webhook_deliveries USING btree (subscription_id, id) WHERE (status = 'dead'::text);
CREATE INDEX webhook_deliveries_manual ON public.webhook_deliveries USING btree (claimable_at) WHERE is_manual;
CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (subscription_id, claimable_at) WHERE ((status = 'pending'::text) AND (NOT is_manual));

create table webhook_hand_offs (
  held_until timestamp with time zone not null,
  id uuid not null,
  organization_id uuid not null,
  subscription_ids uuid[] not null,
  event_ids uuid[] not null,
  constraint webhook_hand_offs_pkey PRIMARY KEY (held_until, id)
);

create table webhook_subscriptions (
  id uuid not null,
  organization_id uuid not null,
  target_url text not null,
  event_types text[] not null,
  email_domain_id uuid,
  status text not null,
  disabled_reason text,
  dead_streak integer not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_subscriptions_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['switched_off'::text, 'kept_failing'::text]))),
  constraint webhook_subscriptions_pkey PRIMARY KEY (id),
  constraint webhook_subscriptions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE INDEX webhook_subscriptions_newest ON public.webhook_subscriptions USING btree (organization_id, id);
