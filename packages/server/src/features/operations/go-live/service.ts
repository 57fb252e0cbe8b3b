// Decides what is missing to go live, from the settings of the service and the records of an organization.
import type { GoLive, GoLiveItem } from '@parley/contract/operations/go-live';
import type { DomainDns } from '../../channels/email-domains/index.ts';
import { dnsItem } from './dns-item.ts';
import type { OrganizationRecords } from './store.ts';

/** A part of the service and its state: null when it works, else what is wrong. */
export type Part = { name: string; simulated: boolean; problem: string | null };

/** How to set up a vendor: only the composition knows their names. */
export type Advice = { fix: string; settings: string[]; command?: string };

export type ServiceFacts = {
  advice: Record<'carrier' | 'calls' | 'texts' | 'mail' | 'llm', Advice>;
  base_url: string;
  /** Why this server cannot reach its own public address; null when it can. */
  base_url_problem: string | null;
  carrier: (Part & { voice: boolean; sms: boolean }) | null;
  mail: Part | null;
  /** The rule-based model may speak on real calls. */
  may_use_offline_llm: boolean;
  /** What the numbers of the carrier cannot do, although everything is set up. */
  number_note: string | null;
  has_default_sender: boolean;
  service_mail_domain: string;
  /** Null where SMTP submission is off. */
  submission: { has_certificate: boolean } | null;
  is_embedded_database: boolean;
  has_master_key: boolean;
};

type Found = Omit<GoLiveItem, 'settings' | 'command' | 'guide' | 'fix'> &
  Partial<Pick<GoLiveItem, 'settings' | 'command' | 'guide' | 'fix'>>;
const item = (found: Found): GoLiveItem => ({
  settings: [],
  command: null,
  guide: null,
  fix: null,
  ...found,
});

const loopback = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/;

export function checkGoLive(
  facts: ServiceFacts,
  records: OrganizationRecords & { domains: DomainDns[] },
  options: { sees_settings: boolean },
): GoLive {
  const items = [
    baseUrl(facts),
    callbacks(facts),
    carrier(facts),
    number(facts, records),
    llm(facts, records),
    mailTransport(facts),
    dnsItem({ is_local_service_domain: loopback.test(facts.service_mail_domain) }, records),
    ...submission(facts),
    webhooks(records),
    database(facts),
    masterKey(facts),
  ].map((each) => (options.sees_settings ? each : withoutSettings(each)));
  return { ready: items.every(({ status }) => status !== 'missing'), items };
}

/** Tenants of a shared server may know that something is missing, but not how the server is set up. */
const withoutSettings = (found: GoLiveItem): GoLiveItem =>
  found.managed_by === 'organization' || found.status === 'ok'
    ? { ...found, settings: [], ...(found.managed_by === 'operator' ? { detail: 'Set up.' } : {}) }
    : {
        ...found,
        detail: 'The server is not set up for this yet.',
        fix: 'Ask the operator of this server.',
        settings: [],
        command: null,
        guide: null,
      };

function baseUrl({ base_url }: ServiceFacts): GoLiveItem {
  const { hostname, protocol } = new URL(base_url);
  const is_local = loopback.test(hostname);
  const is_secure = protocol === 'https:';
  return item({
    check: 'base_url',
    status: is_local ? 'missing' : is_secure ? 'ok' : 'warning',
    needed_for: ['calls', 'emails', 'sms'],
    managed_by: 'operator',
    detail: is_local
      ? `The public address is ${base_url}, which only this machine reaches.`
      : `The public address is ${base_url}.`,
    fix: is_local
      ? 'Put the API behind a proxy with TLS, and set PARLEY_BASE_URL to its https address.'
      : is_secure
        ? null
        : 'Carriers and browsers need TLS: use an https address.',
    settings: ['PARLEY_BASE_URL'],
    guide: 'production',
  });
}

function callbacks({ base_url, base_url_problem: problem }: ServiceFacts): GoLiveItem {
  return item({
    check: 'callbacks',
    status: problem === null ? 'ok' : 'missing',
    needed_for: ['calls', 'sms'],
    managed_by: 'operator',
    detail:
      problem === null
        ? 'The server reaches itself at its public address; carriers call back there.'
        : `The server does not reach itself at ${base_url}: ${problem}.`,
    fix:
      problem === null
        ? null
        : 'Check DNS, the certificate and the proxy of PARLEY_BASE_URL. A server that cannot reach its own public address because of its network may ignore this.',
    settings: ['PARLEY_BASE_URL'],
    command: problem === null ? null : `curl -i ${base_url}/healthz`,
    guide: 'production',
  });
}

function carrier({ carrier: found, advice }: ServiceFacts): GoLiveItem {
  const is_real = found !== null && !found.simulated;
  const is_working = is_real && found.problem === null;
  const lacks = is_working && found.voice && found.sms ? null : found?.voice ? 'texts' : 'calls';
  const detail = !found
    ? 'No carrier is set.'
    : !is_real
      ? 'The carrier is the sandbox: nothing leaves this server.'
      : !is_working
        ? `The carrier does not accept requests: ${found.problem}.`
        : lacks
          ? `The carrier ${found.name} has no ${lacks} here.`
          : `The carrier ${found.name} accepts requests.`;
  return item({
    check: 'carrier',
    status: !is_working ? 'missing' : lacks ? 'warning' : 'ok',
    needed_for: ['calls', 'sms'],
    managed_by: 'operator',
    detail,
    guide: 'carriers',
    ...(!is_working ? advice.carrier : lacks ? advice[lacks] : {}),
  });
}

function number(
  { has_default_sender, number_note }: ServiceFacts,
  { real_numbers, pool_numbers }: OrganizationRecords,
): GoLiveItem {
  const has_any = real_numbers + pool_numbers > 0 || has_default_sender;
  return item({
    check: 'number',
    status: has_any ? 'ok' : 'missing',
    needed_for: ['calls', 'sms'],
    managed_by: 'organization',
    detail: has_any
      ? [`${real_numbers} numbers of your own, ${pool_numbers} in the pool.`, number_note ?? '']
          .join(' ')
          .trim()
      : 'There is no number of a real carrier to call or text from.',
    fix: has_any ? null : 'Buy a number once the carrier is set.',
    command: has_any ? null : 'parley numbers quote --country-code US, then parley numbers create',
    guide: 'carriers',
  });
}

function llm({ may_use_offline_llm, advice }: ServiceFacts, { has_llm }: OrganizationRecords): GoLiveItem {
  return item({
    check: 'llm',
    status: has_llm ? 'ok' : may_use_offline_llm ? 'warning' : 'missing',
    needed_for: ['calls'],
    managed_by: 'organization',
    detail: has_llm
      ? 'An LLM provider is set.'
      : may_use_offline_llm
        ? 'No LLM provider is set; the rule-based model speaks on real calls.'
        : 'No LLM provider is set. Calls over a real carrier are refused with llm_not_configured.',
    guide: 'calls',
    ...(has_llm ? {} : advice.llm),
  });
}

function mailTransport({ mail, advice }: ServiceFacts): GoLiveItem {
  const is_real = mail !== null && !mail.simulated;
  const is_ok = is_real && mail.problem === null;
  return item({
    check: 'mail_transport',
    status: is_ok ? 'ok' : 'missing',
    needed_for: ['emails'],
    managed_by: 'operator',
    detail: is_ok
      ? `Mail is sent with ${mail.name}.`
      : is_real
        ? `The mail transport ${mail.name} does not accept mail: ${mail.problem}.`
        : mail
          ? 'The mail transport is the sandbox: nothing leaves this server.'
          : 'No mail transport is set.',
    guide: 'email',
    ...(is_ok ? {} : advice.mail),
  });
}

/** Mail programs check the certificate, unless their check is turned off. */
function submission({ submission: found }: ServiceFacts): GoLiveItem[] {
  if (!found) return [];
  return [
    item({
      check: 'submission',
      status: found.has_certificate ? 'ok' : 'warning',
      needed_for: [],
      managed_by: 'operator',
      detail: found.has_certificate
        ? 'SMTP submission accepts mail of programs, with your certificate.'
        : 'SMTP submission has a self-signed certificate, which most mail programs refuse.',
      fix: found.has_certificate
        ? null
        : 'Set the certificate of the host name that mail programs connect to.',
      settings: ['PARLEY_INBOUND_TLS_CERT', 'PARLEY_INBOUND_TLS_KEY'],
      guide: 'existing-programs',
    }),
  ];
}

function webhooks({ failing_webhooks: failing }: OrganizationRecords): GoLiveItem {
  const [first] = failing;
  return item({
    check: 'webhooks',
    status: first ? 'warning' : 'ok',
    needed_for: [],
    managed_by: 'organization',
    detail: first
      ? `Deliveries fail to ${failing.map(({ target_url }) => target_url).join(', ')}.`
      : 'No webhook subscription is failing.',
    fix: first
      ? 'See why the last deliveries failed, and activate the subscription again if it is disabled.'
      : null,
    command: first ? `parley webhooks list-deliveries ${first.id}` : null,
    guide: 'webhooks',
  });
}

function database({ is_embedded_database: is_embedded }: ServiceFacts): GoLiveItem {
  return item({
    check: 'database',
    status: is_embedded ? 'warning' : 'ok',
    needed_for: [],
    managed_by: 'operator',
    detail: is_embedded
      ? 'The embedded PostgreSQL serves this machine only.'
      : 'An external PostgreSQL is used.',
    fix: is_embedded
      ? 'For several processes or hosts set DATABASE_URL. On one machine, back up the data folder.'
      : null,
    settings: ['DATABASE_URL'],
    guide: 'production',
  });
}

function masterKey({ has_master_key, is_embedded_database }: ServiceFacts): GoLiveItem {
  const is_ok = has_master_key || is_embedded_database;
  return item({
    check: 'master_key',
    status: is_ok ? 'ok' : 'warning',
    needed_for: [],
    managed_by: 'operator',
    detail: is_ok
      ? 'The key that encrypts stored secrets is outside the database.'
      : 'The key that encrypts stored secrets is in the same database.',
    fix: is_ok ? null : 'Set PARLEY_MASTER_KEY, so that a copy of the database reveals no secrets.',
    settings: ['PARLEY_MASTER_KEY'],
    command: is_ok ? null : 'openssl rand -base64 32',
    guide: 'production',
  });
}
