// Settings of admission: allowed destinations, models on real calls, caps of new organizations, how long approvals keep content.
import { choice, integer, type Setting, type SettingsOf } from '../platform/settings.ts';

/** Where calls and texts may go. `networks` are prefixes of international networks, such as +881. */
export type Destinations = { countries: ReadonlySet<string> | '*'; networks: readonly string[] };

function readDestinations(text: string): Destinations {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toUpperCase())
    .filter((entry) => entry !== '');
  const wrong = entries.filter((entry) => !/^(\*|[A-Z]{2}|\+8[78]\d{0,3}|\+800)$/.test(entry));
  if (wrong.length > 0 || entries.length === 0) {
    throw new Error(
      'expected * or two-letter country codes, and prefixes such as +881 for satellite networks',
    );
  }
  const countries = new Set(entries.filter((entry) => /^[A-Z]{2}$/.test(entry)));
  return {
    countries: entries.includes('*') ? '*' : countries,
    networks: entries.filter((entry) => entry.startsWith('+')),
  };
}

function readCountry(text: string): string {
  if (!/^[A-Za-z]{2}$/.test(text)) throw new Error('expected a two-letter country code');
  return text.toUpperCase();
}

const hourly = (what: string, standard: number) =>
  integer({
    default: standard,
    min: 0,
    max: 1_000_000,
    meaning: `${what} per hour of an organization that a person creates by signing up. Stored when it is created; a superadmin changes it with velocity_caps.`,
  });

const limitOrOff = (standard: number, max: number, meaning: string) => ({
  default: standard,
  meaning: `${meaning} per day of a program that a person connects with OAuth and of a key from a device login; off: no such budget. Stored with the credential; owners and admins change it with PATCH /v1/budgets/{budget_id}.`,
  read(text: string): number | 'off' {
    if (text === 'off') return text;
    if (!/^\d+$/.test(text) || Number(text) > max)
      throw new Error(`expected off or a whole number from 0 to ${max}`);
    return Number(text);
  },
});

export const admissionSettings = {
  PARLEY_DESTINATIONS: {
    default: null,
    default_note: 'the countries of the numbers this server holds, and PARLEY_COUNTRY',
    meaning:
      'Countries that calls and texts may go to over real carriers: two-letter codes separated by commas, or * for all. Premium-rate numbers never; satellite and international networks only by prefix, such as +881.',
    read: readDestinations,
  } as Setting<Destinations> & { default: null },
  PARLEY_COUNTRY: {
    default: null,
    meaning:
      'The country of the operator: calls and texts may go there even while the server holds no number there.',
    read: readCountry,
  } as Setting<string> & { default: null },
  PARLEY_OFFLINE_LLM_ON_REAL_CALLS: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning:
      'Whether the rule-based offline model may speak with people over real carriers where no LLM provider is set. Off: such calls are refused with llm_not_configured.',
  }),
  PARLEY_APPROVAL_CONTENT_DAYS: integer({
    default: 30,
    min: 1,
    max: 3650,
    meaning:
      'How many days after its decision an approval keeps the text, subject and attachment names that the approver saw. Who decided what about whom stays. What is approved and still waits keeps them.',
  }),
  PARLEY_APPROVAL_LINK_SIGN_IN: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning:
      'Whether a mailed link to an approval also asks its approver to sign in. Off: whoever has the link can decide. On needs managed mode; approvers of an external issuer then decide in the console.',
  }),
  PARLEY_ORGANIZATIONS_PER_PERSON: integer({
    default: 3,
    min: 1,
    max: 10_000,
    meaning:
      'Organizations that one person may create by signing up. Their new recipients of a day count together against the limit of each of them.',
  }),
  PARLEY_SIGN_UP_CALLS_PER_HOUR: hourly('Calls', 20),
  PARLEY_SIGN_UP_EMAILS_PER_HOUR: hourly('Emails', 100),
  PARLEY_SIGN_UP_SMS_PER_HOUR: hourly('Texts', 60),
  PARLEY_NEW_RECIPIENTS_PER_DAY: integer({
    default: 20,
    min: 0,
    max: 1_000_000,
    meaning:
      'New recipients per day and channel of an organization of agent origin, or that a person creates by signing up. Stored when it is created; its owners and admins change it with PUT /v1/contact-rules.',
  }),
  PARLEY_AGENT_KEY_BUDGET_COUNT: limitOrOff(500, 1_000_000_000, 'Calls, messages and bought numbers'),
  PARLEY_AGENT_KEY_BUDGET_MICROS: limitOrOff(
    20_000_000,
    1_000_000_000_000_000,
    'Their cost, in millionths of the currency of the price list,',
  ),
  PARLEY_AGENT_KEY_BUDGET_NUMBERS: limitOrOff(2, 1_000_000_000, 'Bought numbers'),
} as const;

const orNull = (limit: number | 'off') => (limit === 'off' ? null : limit);

/** The default budgets of credentials that agents use. */
export const agentKeyLimits = (values: SettingsOf<typeof admissionSettings>) => ({
  max_count: orNull(values.PARLEY_AGENT_KEY_BUDGET_COUNT),
  max_amount_micros: orNull(values.PARLEY_AGENT_KEY_BUDGET_MICROS),
  max_numbers: orNull(values.PARLEY_AGENT_KEY_BUDGET_NUMBERS),
});
