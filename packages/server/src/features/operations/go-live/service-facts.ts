// Collects what the go-live check must know about this server: its address, carrier, mail transport and keys.
import type { Config } from '../../../config/config.ts';
import { go_live_advice, numberNote } from '../../../config/go-live.ts';

import type { Readiness } from '../../../platform/readiness.ts';

import type { GuardedCarrier, GuardedTransport } from '../../rules/admission/index.ts';
import type { ServiceFacts } from './service.ts';

const reach_ms = 3000;

type FactNeeds = {
  config: Config;
  baseUrl(): string;
  carrier: GuardedCarrier | null;
  carrier_check: Readiness;
  transport: Pick<GuardedTransport, 'name' | 'capabilities'> | null;
  mail_check: Readiness;
};

export const serviceFacts = (needs: FactNeeds) => async (): Promise<ServiceFacts> => {
  const { config, carrier, transport } = needs;
  const base_url = needs.baseUrl();
  const [base_url_problem, carrier_problem, mail_problem] = await Promise.all([
    reachProblem(base_url),
    problemOf(needs.carrier_check),
    problemOf(needs.mail_check),
  ]);
  return {
    advice: go_live_advice,
    base_url,
    base_url_problem,
    carrier: carrier && {
      name: carrier.name,
      simulated: carrier.capabilities.simulated,
      voice: carrier.capabilities.voice,
      sms: carrier.capabilities.sms,
      problem: carrier_problem,
    },
    mail: transport && {
      name: transport.name,
      simulated: transport.capabilities.simulated,
      problem: mail_problem,
    },
    may_use_offline_llm: config.PARLEY_OFFLINE_LLM_ON_REAL_CALLS === 'on',
    number_note: numberNote(carrier?.name),
    has_default_sender: config.PARLEY_SMS_DEFAULT_SENDER !== null,
    service_mail_domain: config.PARLEY_SERVICE_MAIL_DOMAIN,
    submission: config.PARLEY_ROLES.includes('submission')
      ? { has_certificate: config.PARLEY_INBOUND_TLS_CERT !== null }
      : null,
    is_embedded_database: config.DATABASE_URL === null,
    has_master_key: config.PARLEY_MASTER_KEY !== null,
  };
};

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
