// The hosts of Twilio's APIs, derived from the base URL of the main one.
export type TwilioHost = 'numbers' | 'numbers-upload' | 'trusthub' | 'messaging';

/** `https://api.twilio.com` → `https://numbers.twilio.com`. A base URL without `api.`, such as a proxy, serves all paths. */
export const hostUrl = (base_url: string, host: TwilioHost): string =>
  base_url.replace(/^(https?:\/\/)api\./, `$1${host}.`);
