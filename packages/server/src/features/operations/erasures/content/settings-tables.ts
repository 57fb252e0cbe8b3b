// The tables of settings. People write them for the whole organization, so an erasure never changes them; the dry run says
// which of them name the person.

/** The table, and what its rows are called in an answer. */
export const settings_tables: Readonly<Record<string, string>> = {
  'public.agents': 'agents',
  'public.api_keys': 'api_keys',
  'public.default_budgets': 'budgets',
  'public.budgets': 'budgets',
  'public.email_domains': 'email_domains',
  'public.mcp_servers': 'mcp_servers',
  'public.messaging_services': 'numbers',
  'public.number_quotes': 'numbers',
  'public.numbers': 'numbers',
  'public.provider_settings': 'provider_settings',
  'public.receive_rules': 'receive_rules',
  'public.receive_settings': 'receive_rules',
  'public.retention': 'retention',
  'public.sending_rules': 'sending_rules',
  'public.sms_sender_ids': 'numbers',
  'public.tools': 'tools',
  'public.verification_documents': 'verifications',
  'public.verification_events': 'verifications',
  'public.verifications': 'verifications',
  'public.webhook_certifications': 'webhooks',
  'public.webhook_subscriptions': 'webhooks',
};
