// Collects what the go-live check must know about this server: its address, carrier, mail transport and keys.

import type { Core } from '../../../app/core.ts';
import type { Parts } from '../../../app/parts.ts';
import type { Readiness } from '../status/index.ts';
import { type Advice, goLiveFeature, type ServiceFacts } from './index.ts';

const reach_ms = 3000;

/** Twilio's error 30038. */
const withheld_codes =
  'Twilio holds back texts with one-time codes, also those that its numbers receive: receive codes by email or with another carrier.';

const advice: Record<keyof ServiceFacts['advice'], Advice> = {
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

export const buildGoLive = (
  core: Core,
  { phones, mail }: Parts,
  more: {
    transport: { name: string; capabilities: { simulated: boolean } } | null;
    mail: Readiness;
  },
) =>
  goLiveFeature({
    db: core.db,
    dnsNow: mail.domains.dnsNow,
    async facts(): Promise<ServiceFacts> {
      const { config } = core;
      const { active } = phones.carriers;
      const carrier_check = phones.readiness.find(({ name }) => name === 'carrier')!;
      const [base_url_problem, carrier_problem, mail_problem] = await Promise.all([
        reachProblem(core.baseUrl()),
        problemOf(carrier_check),
        problemOf(more.mail),
      ]);
      return {
        advice,
        base_url: core.baseUrl(),
        base_url_problem,
        carrier: active && {
          name: active.name,
          simulated: active.capabilities.simulated,
          voice: active.capabilities.voice,
          sms: active.capabilities.sms,
          problem: carrier_problem,
        },
        mail: more.transport && {
          name: more.transport.name,
          simulated: more.transport.capabilities.simulated,
          problem: mail_problem,
        },
        may_use_offline_llm: config.PARLEY_OFFLINE_LLM_ON_REAL_CALLS === 'on',
        number_note: active?.name === 'twilio' ? withheld_codes : null,
        has_default_sender: config.PARLEY_SMS_DEFAULT_SENDER !== null,
        service_mail_domain: config.PARLEY_SERVICE_MAIL_DOMAIN,
        submission: config.PARLEY_ROLES.includes('submission')
          ? { has_certificate: config.PARLEY_INBOUND_TLS_CERT !== null }
          : null,
        is_embedded_database: config.DATABASE_URL === null,
        has_master_key: config.PARLEY_MASTER_KEY !== null,
      };
    },
  });

const problemOf = ({ check }: Readiness): Promise<string | null> =>
  check().then(
    () => null,
    (error: Error) => error.message,
  );

/** The address is a setting of the operator, so it needs no egress rules. A redirect is followed by no carrier. */
async function reachProblem(base_url: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(reach_ms);
    const response = await fetch(`${base_url}/healthz`, { signal, redirect: 'manual' });
    const text = (await response.text()).slice(0, 200);
    if (response.status !== 200) return `status ${response.status}`;
    return text.includes('"alive"') ? null : 'another program responds';
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message || String(cause) : message;
  }
}
