// What the go-live check says about the settings of carriers, mail transports and models.

/** Twilio's error 30038. */
const withheld_codes =
  'Twilio holds back texts with one-time codes, also those that its numbers receive: receive codes by email or with another carrier.';

/** What to do about each thing that is missing, and the settings for it. */
export const go_live_advice = {
  carrier: {
    fix: 'Set PARLEY_CARRIER to twilio, telnyx, sip or livekit, with the credentials of that carrier.',
    settings: ['PARLEY_CARRIER', 'TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TELNYX_API_KEY'],
  },
  calls: {
    fix: 'The process that runs calls needs the role api, and Telnyx needs TELNYX_CONNECTION_ID.',
    settings: ['PARLEY_ROLES', 'TELNYX_CONNECTION_ID'],
  },
  texts: {
    fix: 'Use Twilio or Telnyx for texts.',
    settings: ['PARLEY_CARRIER', 'TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TELNYX_API_KEY'],
  },
  mail: {
    fix: 'Set PARLEY_SMTP_URL to your relay, or PARLEY_MAIL_TRANSPORT=ses with its settings.',
    settings: ['PARLEY_SMTP_URL', 'PARLEY_MAIL_TRANSPORT'],
  },
  llm: {
    fix: 'Set an LLM provider with your own key.',
    settings: [],
    command: 'parley providers set llm --provider openai-compatible --api-key <key>',
  },
};

/** What a person should know about the numbers of a carrier. */
export const numberNote = (carrier: string | undefined): string | null =>
  carrier === 'twilio' ? withheld_codes : null;
