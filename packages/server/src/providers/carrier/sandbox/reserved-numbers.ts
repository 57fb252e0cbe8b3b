// The reserved numbers of the sandbox, each with a fixed behavior; docs/guides/sandbox-numbers.md lists the same.

export type TextBehavior =
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'opted_out'
  | 'unconfirmed'
  | 'answers_stop'
  | 'echoes'
  | 'answers_code'
  | 'answer_lost';

/** What happens to a text to this number. Every other number gets its texts. */
export const textRecipients: Readonly<Record<string, TextBehavior>> = {
  '+15005550001': 'delivered',
  '+15005550002': 'undelivered',
  '+15005550003': 'failed',
  '+15005550004': 'opted_out',
  '+15005550005': 'unconfirmed',
  '+15005550006': 'answers_stop',
  '+15005550007': 'echoes',
  '+15005550008': 'answers_code',
  '+15005550009': 'answer_lost',
};

/** A test recipient has the same outcome every time. +15005550006 does not count: it simulates a person who sends STOP. */
export const isRepeatable = (number: string): boolean => textRecipients[number] === 'opted_out';

export const poolNumbers = ['+15005550100', '+15005550101', '+15005550102'] as const;

/** The sender of texts while an organization has no number. */
export const default_sms_sender = '+15005550110';

/** What happens when this number is bought. Every other offered number can be bought. */
export const purchases: Readonly<Record<string, 'refused' | 'taken' | 'pending' | 'answer_lost'>> = {
  '+15005554901': 'refused',
  '+15005554902': 'taken',
  '+15005554903': 'pending',
  '+15005554904': 'answer_lost',
};

type Stock = {
  country_code: string;
  number_type: 'local' | 'mobile' | 'toll_free' | 'national';
  capabilities: ('voice' | 'sms')[];
  /** The last digits count from `first` to `last`. */
  prefix: string;
  first: number;
  last: number;
  monthly_cents: number;
  setup_cents: number;
  readiness: 'ready' | 'verification_required';
};

/** Ranges that are reserved for examples and fiction in their countries, so that they belong to no real person. */
export const stock: readonly Stock[] = [
  {
    country_code: 'US',
    number_type: 'local',
    capabilities: ['voice', 'sms'],
    prefix: '+1500555',
    first: 4000,
    last: 4999,
    monthly_cents: 115,
    setup_cents: 0,
    readiness: 'ready',
  },
  {
    country_code: 'US',
    number_type: 'toll_free',
    capabilities: ['voice', 'sms'],
    prefix: '+1500555',
    first: 8000,
    last: 8999,
    monthly_cents: 215,
    setup_cents: 0,
    readiness: 'ready',
  },
  {
    country_code: 'CA',
    number_type: 'local',
    capabilities: ['voice', 'sms'],
    prefix: '+1500555',
    first: 5000,
    last: 5999,
    monthly_cents: 115,
    setup_cents: 0,
    readiness: 'ready',
  },
  {
    country_code: 'GB',
    number_type: 'mobile',
    capabilities: ['voice', 'sms'],
    prefix: '+447700900',
    first: 0,
    last: 999,
    monthly_cents: 150,
    setup_cents: 0,
    readiness: 'ready',
  },
  {
    country_code: 'GB',
    number_type: 'local',
    capabilities: ['voice'],
    prefix: '+442079460',
    first: 0,
    last: 999,
    monthly_cents: 115,
    setup_cents: 0,
    readiness: 'ready',
  },
  {
    country_code: 'DE',
    number_type: 'local',
    capabilities: ['voice'],
    prefix: '+493023125',
    first: 0,
    last: 999,
    monthly_cents: 130,
    setup_cents: 100,
    readiness: 'verification_required',
  },
  {
    country_code: 'DE',
    number_type: 'mobile',
    capabilities: ['voice', 'sms'],
    prefix: '+4917139200',
    first: 0,
    last: 99,
    monthly_cents: 400,
    setup_cents: 100,
    readiness: 'verification_required',
  },
  {
    // Reserved for fiction by the French regulator (ARCEP), in the area of Paris.
    country_code: 'FR',
    number_type: 'local',
    capabilities: ['voice', 'sms'],
    prefix: '+33199000',
    first: 0,
    last: 999,
    monthly_cents: 130,
    setup_cents: 100,
    readiness: 'verification_required',
  },
];

/** How a verification goes, by words in the name of its subject. The first one that is found counts. */
export const verificationWords = [
  'rejected once',
  'rejected',
  'waiting',
  'canceled',
  'incomplete',
  'slow',
  'expires',
  'suspended',
  'contact',
  'refused',
] as const;

/** US local numbers whose texts need a campaign; texts of all other local numbers do not. */
export const needsCampaign = (e164: string): boolean => /^\+150055547\d\d$/.test(e164);
/** Toll-free numbers whose texts need a verification. */
export const needsTollFree = (e164: string): boolean => /^\+150055589\d\d$/.test(e164);
