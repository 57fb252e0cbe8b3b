// The setting of the sandbox, and its default: on only where no real service and no other tenant can be affected.
import { choice } from '../platform/settings.ts';

export const sandboxSettings = {
  PARLEY_SANDBOX: choice({
    default: null,
    default_note:
      'on with the embedded database, the shared key alone and no carrier or mail relay set up; else off',
    of: ['on', 'off'],
    meaning:
      'Turns the sandbox on: simulated transports, test recipients, a clock that can be moved, and example events on request. In managed mode only a superadmin may move the clock or create events.',
  }),
} as const;

/** Settings that show that the server is used for real. */
type RelevantSettings = {
  PARLEY_SANDBOX: 'on' | 'off' | null;
  PARLEY_MANAGED: 'on' | 'off';
  PARLEY_CARRIER: string | null;
  PARLEY_MAIL_TRANSPORT: string | null;
} & Record<(typeof real_services)[number] | 'DATABASE_URL', string | null>;

/** Each of them configures a real carrier or mail relay. */
const real_services = [
  'TWILIO_ACCOUNT_SID',
  'TELNYX_API_KEY',
  'PARLEY_SIP_TRUNK_HOST',
  'LIVEKIT_URL',
  'PARLEY_SMTP_URL',
  'PARLEY_SES_REGION',
] as const;

export function sandboxIsOn(values: RelevantSettings): boolean {
  if (values.PARLEY_SANDBOX !== null) return values.PARLEY_SANDBOX === 'on';
  const is_real = (choice: string | null) => choice !== null && choice !== 'sandbox';
  return (
    values.DATABASE_URL === null &&
    values.PARLEY_MANAGED === 'off' &&
    !is_real(values.PARLEY_CARRIER) &&
    !is_real(values.PARLEY_MAIL_TRANSPORT) &&
    real_services.every((name) => values[name] === null)
  );
}
