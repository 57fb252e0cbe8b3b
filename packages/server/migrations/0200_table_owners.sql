-- compatible-from: 0049
-- The feature that owns each table (only its files write it), and whose rows these are: `organization`, of one organization;
-- `directory`, what finds an organization or a person by a name, number, address or token that exists only once in the whole
-- installation; `installation`, of the service itself. A table that is added later says it in its own migration.

comment on table device_logins is 'owner: access/accounts; class: directory';
comment on table sign_in_places is 'owner: access/accounts; class: directory';
comment on table sign_ups is 'owner: access/accounts; class: directory';

comment on table audit_entries is 'owner: access/audit; class: organization';

comment on table conversation_tokens is 'owner: access/conversation-tokens; class: directory';

comment on table api_keys is 'owner: access/identity; class: directory';
comment on table credential_change_log is 'owner: access/identity; class: installation';
comment on table credential_changes is 'owner: access/identity; class: installation';

comment on table invitations is 'owner: access/organizations; class: directory';
comment on table members is 'owner: access/organizations; class: directory';
comment on table organizations is 'owner: access/organizations; class: directory';

comment on table provider_settings is 'owner: access/provider-settings; class: organization';

comment on table agents is 'owner: agents/agents; class: organization';

comment on table mcp_servers is 'owner: agents/mcp-servers; class: organization';

comment on table suspended_replies is 'owner: agents/runtime; class: organization';
comment on table tool_calls is 'owner: agents/runtime; class: organization';

comment on table tools is 'owner: agents/tools; class: organization';

comment on table call_commands is 'owner: channels/calls; class: organization';
comment on table call_events is 'owner: channels/calls; class: organization';
comment on table call_processes is 'owner: channels/calls; class: installation';
comment on table call_transfers is 'owner: channels/calls; class: organization';
comment on table call_turns is 'owner: channels/calls; class: organization';
comment on table calls is 'owner: channels/calls; class: organization';

comment on table email_attachment_uses is 'owner: channels/email-attachments; class: organization';
comment on table email_attachments is 'owner: channels/email-attachments; class: organization';

comment on table email_domains is 'owner: channels/email-domains; class: directory';
comment on table email_forward_confirmations is 'owner: channels/email-domains; class: organization';
comment on table email_forward_tokens is 'owner: channels/email-domains; class: directory';
comment on table forward_holds is 'owner: channels/email-domains; class: organization';
comment on table service_mail_keys is 'owner: channels/email-domains; class: installation';

comment on table email_suppressions is 'owner: channels/email-suppressions; class: organization';

comment on table email_batches is 'owner: channels/emails; class: organization';
comment on table email_counters is 'owner: channels/emails; class: organization';
comment on table email_events is 'owner: channels/emails; class: organization';
comment on table email_forwards is 'owner: channels/emails; class: organization';
comment on table emails is 'owner: channels/emails; class: organization';

comment on table object_sweep is 'owner: channels/mail-objects; class: installation';

comment on table agent_replies is 'owner: channels/message-agents; class: organization';
comment on table conversation_results is 'owner: channels/message-agents; class: organization';

comment on table messaging_services is 'owner: channels/numbers; class: organization';
comment on table number_quotes is 'owner: channels/numbers; class: organization';
comment on table numbers is 'owner: channels/numbers; class: directory';
comment on table pool_numbers is 'owner: channels/numbers; class: installation';

comment on table sms_messages is 'owner: channels/sms; class: organization';
comment on table sms_sender_ids is 'owner: channels/sms; class: organization';
comment on table sms_suppressions is 'owner: channels/sms; class: organization';

comment on table system_mails is 'owner: channels/system-mail; class: installation';

comment on table verification_documents is 'owner: channels/verifications; class: organization';
comment on table verification_events is 'owner: channels/verifications; class: organization';
comment on table verifications is 'owner: channels/verifications; class: organization';

comment on table conversation_aliases is 'owner: inbox/conversations; class: organization';
comment on table conversation_items is 'owner: inbox/conversations; class: organization';
comment on table conversation_participants is 'owner: inbox/conversations; class: organization';
comment on table conversation_threads is 'owner: inbox/conversations; class: organization';
comment on table conversations is 'owner: inbox/conversations; class: organization';

comment on table projection_fills is 'owner: inbox/projector; class: installation';
comment on table projection_queue is 'owner: inbox/projector; class: organization';
comment on table projection_starts is 'owner: inbox/projector; class: installation';

comment on table receipt_chains is 'owner: inbox/receipts; class: organization';
comment on table receipt_keys is 'owner: inbox/receipts; class: installation';
comment on table receipts is 'owner: inbox/receipts; class: organization';
comment on table receipts_due is 'owner: inbox/receipts; class: organization';

comment on table search_documents is 'owner: inbox/search; class: organization';

comment on table wait_followers is 'owner: inbox/waits; class: organization';
comment on table wait_keys is 'owner: inbox/waits; class: organization';
comment on table waits is 'owner: inbox/waits; class: organization';

comment on table erasure_items is 'owner: operations/erasures; class: organization';
comment on table erasures is 'owner: operations/erasures; class: organization';

comment on table events is 'owner: operations/events; class: organization';

comment on table request_log is 'owner: operations/request-log; class: organization';

comment on table retention is 'owner: operations/retention; class: organization';

comment on table sandbox_clock is 'owner: operations/sandbox; class: installation';

comment on table sandbox_outbox is 'owner: operations/sandbox-outbox; class: organization';
comment on table sandbox_texts is 'owner: operations/sandbox-outbox; class: installation';

comment on table set_aside_work is 'owner: operations/set-aside-work; class: installation';

comment on table webhook_certifications is 'owner: operations/webhooks; class: organization';
comment on table webhook_deliveries is 'owner: operations/webhooks; class: organization';
comment on table webhook_hand_offs is 'owner: operations/webhooks; class: organization';
comment on table webhook_subscriptions is 'owner: operations/webhooks; class: organization';

comment on table idempotency_keys is 'owner: platform; class: organization';
comment on table jobs is 'owner: platform; class: installation';
comment on table master_key is 'owner: platform; class: installation';
comment on table migrations is 'owner: platform; class: installation';
comment on table rate_buckets is 'owner: platform; class: installation';
comment on table trace_contexts is 'owner: platform; class: organization';

comment on table approval_links is 'owner: rules/approvals; class: directory';
comment on table approvals is 'owner: rules/approvals; class: organization';
comment on table approved_recipients is 'owner: rules/approvals; class: organization';
comment on table exit_requests is 'owner: rules/approvals; class: organization';

comment on table budget_reservations is 'owner: rules/budgets; class: organization';
comment on table budget_uses is 'owner: rules/budgets; class: organization';
comment on table budgets is 'owner: rules/budgets; class: organization';
comment on table default_budgets is 'owner: rules/budgets; class: organization';

comment on table consent_revocations is 'owner: rules/consents; class: organization';
comment on table consents is 'owner: rules/consents; class: organization';
comment on table suspected_revocations is 'owner: rules/consents; class: organization';

comment on table contacts is 'owner: rules/contacts; class: organization';

comment on table fund_reservations is 'owner: rules/funds; class: organization';
comment on table ledger_entries is 'owner: rules/funds; class: organization';
comment on table prices is 'owner: rules/funds; class: installation';

comment on table known_parties is 'owner: rules/known-parties; class: organization';
comment on table known_party_fills is 'owner: rules/known-parties; class: organization';

comment on table kill_switches is 'owner: rules/limits; class: installation';
comment on table velocity_minutes is 'owner: rules/limits; class: organization';

comment on table receive_blocks is 'owner: rules/receive-rules; class: organization';
comment on table receive_rules is 'owner: rules/receive-rules; class: organization';
comment on table receive_settings is 'owner: rules/receive-rules; class: organization';

comment on table new_recipient_uses is 'owner: rules/recipient-limits; class: organization';
comment on table person_uses is 'owner: rules/recipient-limits; class: organization';

comment on table sending_rules is 'owner: rules/sending-rules; class: organization';

comment on table storage_count is 'owner: rules/storage-quota; class: installation';
comment on table storage_usage is 'owner: rules/storage-quota; class: organization';

-- Of all tables in the schema.
comment on schema accounts is 'owner: access/accounts; class: directory';
