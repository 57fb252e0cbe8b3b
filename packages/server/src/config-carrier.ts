// The settings of numbers, texts and the carriers behind them; part of the table in config.ts.
import { choice, integer, SettingsError, type SettingsOf, text, url } from './platform/settings.ts';

export const carrierSettings = {
  PARLEY_CARRIER: choice({
    default: null,
    default_note: 'sandbox when the sandbox is on, else none',
    of: ['sandbox', 'twilio', 'telnyx'],
    meaning: 'The carrier that new numbers and texts go to.',
  }),
  PARLEY_SMS_DEFAULT_SENDER: text({
    default: null,
    default_note: 'none; with the sandbox carrier +15005550110',
    meaning: 'What texts are sent under while an organization has no number and no sender id of its own.',
  }),
  PARLEY_SMS_AUTOMATIC_REPLIES: integer({
    default: 20,
    min: 0,
    max: 10_000,
    meaning: 'How many texts the service writes by itself in one conversation within 24 hours at most.',
  }),
  PARLEY_POOL_GRACE_SECONDS: integer({
    default: 300,
    min: 1,
    max: 86_400,
    meaning: 'How long a pool number stays bound before the sweeper asks whether its call still runs.',
  }),
  TWILIO_ACCOUNT_SID: text({
    default: null,
    meaning: 'Twilio account, AC followed by 32 hexadecimal digits.',
  }),
  TWILIO_AUTH_TOKEN: text({ default: null, meaning: 'Auth token of the Twilio account.', secret: true }),
  TWILIO_BASE_URL: url({
    default: 'https://api.twilio.com',
    protocols: ['http:', 'https:'],
    meaning: 'Where the Twilio API is.',
  }),
  TELNYX_API_KEY: text({ default: null, meaning: 'API key of the Telnyx account.', secret: true }),
  TELNYX_PUBLIC_KEY: text({
    default: null,
    meaning: 'Public key that Telnyx signs its callbacks with, in base64.',
  }),
  TELNYX_MESSAGING_PROFILE_ID: text({
    default: null,
    meaning: 'Telnyx messaging profile that numbers are bought for; its inbound webhook must point here.',
  }),
  TELNYX_CONNECTION_ID: text({
    default: null,
    meaning: 'Telnyx voice connection that numbers are bought for.',
  }),
  TELNYX_BASE_URL: url({
    default: 'https://api.telnyx.com/v2',
    protocols: ['http:', 'https:'],
    meaning: 'Where the Telnyx API is.',
  }),
} as const;

/** What the chosen carrier cannot work without. */
export function checkCarrierSettings(values: SettingsOf<typeof carrierSettings>, sandbox: boolean): void {
  const needs = {
    sandbox: [],
    twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
    telnyx: ['TELNYX_API_KEY', 'TELNYX_PUBLIC_KEY', 'TELNYX_MESSAGING_PROFILE_ID'],
  } as const;
  const chosen = values.PARLEY_CARRIER;
  const missing = chosen === null ? [] : needs[chosen].filter((name) => values[name] === null);
  const problems = missing.map((name) => `${name}: is needed when PARLEY_CARRIER is "${chosen}"`);
  const { TELNYX_PUBLIC_KEY: key, TWILIO_ACCOUNT_SID: sid } = values;
  if (key !== null && Buffer.from(key, 'base64').length !== 32) {
    problems.push('TELNYX_PUBLIC_KEY: expected 32 bytes in base64');
  }
  if (sid !== null && !/^AC[0-9a-fA-F]{32}$/.test(sid)) {
    problems.push('TWILIO_ACCOUNT_SID: expected AC followed by 32 hexadecimal digits');
  }
  if (chosen === 'sandbox' && !sandbox) {
    problems.push('PARLEY_CARRIER: it is "sandbox", but PARLEY_SANDBOX is off');
  }
  if (problems.length > 0) throw new SettingsError(problems);
}
