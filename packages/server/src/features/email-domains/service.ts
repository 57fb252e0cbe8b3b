// The rules of email domains: how an address is composed, who may claim a domain, and what proves it.
import type {
  DnsRecord,
  EmailDomain,
  EmailDomainCreate,
  EmailDomainPatch,
  ForwardConfirmationCreate,
} from '@parley/contract/email-domains';
import { readHostName } from '@parley/contract/host-name';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import type { Dns } from '../../platform/dns.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import { keyedTtlCache } from '../../platform/ttl-cache.ts';
import type { SigningKey } from '../../protocols/mail/dkim/sign.ts';
import { ownPrefix } from './default-prefix.ts';
import { dkimKeys, selectorOf } from './dkim-keys.ts';
import { checkRecord, dkimRecord, recordsToPublish } from './dns-records.ts';
import { type ForwardAddressDeps, forwardAddresses } from './forward-addresses.ts';
import { emailDomainStore, type NewDomain, type Receiver, type Sender } from './store.ts';
import { wantedName, wantedPrefixes } from './wanted-domain.ts';

export type EmailDomainDeps = Omit<ForwardAddressDeps, 'changed'> & {
  db: Database;
  clock: Clock;
  ids: Ids;
  sealer: Sealer;
  dns: Dns;
  /** Base domain of composed addresses, and the parts used when a request names none. */
  service_mail: { domain: string; prefix_user: string | null; prefix_org: string | null };
  /** Where MX records point, and the SPF record that lets our relay send. */
  mail_host: string;
  spf: string;
  /** Name of the mail transport. */
  provider: string;
  /** With a simulated transport, an organization without a domain gets an address at this one. */
  sandbox_domain: string | null;
  /** The operator's ceiling over forward_rate_per_hour. */
  forward_per_hour_max: number;
};

const forward_rate_per_hour = 60;
/** How many addresses are kept at hand, and how much later a change is seen by other processes. */
const at_hand = { max_entries: 10_000, max_age_ms: 2000 };
const custom_local_part = 'agent';

type KnownSender = Sender & { address: string };
type NoSender = 'no_sending_domain' | 'from_not_allowed';
type Wanted = { address?: string | undefined; email_domain_id?: string | undefined };

export function emailDomainService(deps: EmailDomainDeps) {
  const { clock, ids } = deps;
  const store = emailDomainStore(deps.db, deps.forward_per_hour_max);
  const keys = dkimKeys({ ...deps, store });
  const reserved = [deps.service_mail.domain, deps.mail_host, deps.sandbox_domain ?? 'sandbox.test'];

  const found = <T>(domain: T | null): T => {
    if (!domain) throw new ApiError('not_found');
    return domain;
  };

  const blank = (organization_id: string, id: string) => {
    const now = clock.now().toISOString();
    return {
      id,
      organization_id,
      provider: deps.provider,
      created_at: now,
      updated_at: now,
      inbound_enabled: true,
      forward_to: [],
      forward_pending: [],
      forward_rate_per_hour: Math.min(forward_rate_per_hour, deps.forward_per_hour_max),
    };
  };

  /** Composed addresses lie on our own domain: there is nothing to prove. */
  const composed = (organization_id: string, user: string, org: string, base: string): NewDomain => {
    const fresh = blank(organization_id, ids.next());
    return {
      ...fresh,
      kind: 'service_mail',
      domain: base,
      local_prefix_user: user,
      local_prefix_org: org,
      default_address: `${user}+${org}@${base}`,
      verification_status: 'verified',
      dns_records: [],
      mail_from_domain: base,
      mail_from_status: 'verified',
      verified_at: fresh.created_at,
      receive_ready: true,
      mx_ready: true,
      dkim_selector: null,
      dkim_private_key: null,
    };
  };

  const newCustom = async (organization_id: string, given: EmailDomainCreate): Promise<NewDomain> => {
    const domain = wantedName(given, reserved);
    if (await store.isVerifiedElsewhere(organization_id, domain)) throw new ApiError('email_domain_taken');
    const id = ids.next();
    const selector = selectorOf(id);
    const mail_from_domain = `bounce.${domain}`;
    const { public_key, sealed } = await keys.make(id);
    return {
      ...blank(organization_id, id),
      kind: 'custom',
      domain,
      local_prefix_user: null,
      local_prefix_org: null,
      default_address: `${custom_local_part}@${domain}`,
      verification_status: 'pending',
      dns_records: recordsToPublish({
        domain,
        mail_from_domain,
        selector,
        public_key,
        mail_host: deps.mail_host,
        spf: deps.spf,
      }),
      mail_from_domain,
      mail_from_status: 'pending',
      verified_at: null,
      receive_ready: false,
      mx_ready: false,
      dkim_selector: selector,
      dkim_private_key: sealed,
    };
  };

  /** Null when the domain or address is taken. */
  const stored = async (domain: NewDomain): Promise<EmailDomain | null> => {
    if (!(await store.insert(domain.organization_id, domain))) return null;
    forget();
    const { dkim_selector: _, dkim_private_key: __, mx_ready: ___, ...record } = domain;
    return record;
  };

  const store_new = async (domain: NewDomain): Promise<EmailDomain> => {
    const record = await stored(domain);
    if (!record) throw new ApiError('email_domain_taken');
    return record;
  };

  /** The operator's default prefix serves everybody: the first as it is, the others with an end of their own. */
  const createServiceMail = async (
    organization_id: string,
    given: EmailDomainCreate,
  ): Promise<EmailDomain> => {
    const { user, org } = wantedPrefixes(given, deps.service_mail);
    const wanted = composed(organization_id, user, org, deps.service_mail.domain);
    if (given.local_prefix_org != null) return store_new(wanted);
    const own = composed(organization_id, user, ownPrefix(org, organization_id), deps.service_mail.domain);
    const addresses = [wanted.default_address, own.default_address];
    if (await store.hasAddress(organization_id, addresses)) throw new ApiError('email_domain_taken');
    return (await stored(wanted)) ?? store_new(own);
  };

  /** An address at the sandbox's domain, made for whoever sends before setting anything up. */
  const sandboxSender = async (organization_id: string): Promise<Sender | null> => {
    if (!deps.sandbox_domain) return null;
    const domain = composed(organization_id, 'agent', organization_id.slice(-12), deps.sandbox_domain);
    await store.insert(organization_id, domain);
    forget();
    return store.newestSender(organization_id);
  };

  // Whoever writes much, from here or to us, is asked for every time.
  const receivers = keyedTtlCache<Receiver | null>(at_hand);
  const senders = keyedTtlCache<KnownSender | NoSender>(at_hand);
  const forget = () => {
    receivers.forgetAll();
    senders.forgetAll();
  };

  const forwards = forwardAddresses({ ...deps, changed: forget });

  return {
    signingKey: keys.of,
    forwards,

    /** Signs mail that the service writes itself; null for domains that are not its own. */
    serviceMailKey: async (domain: string): Promise<SigningKey | null> =>
      domain === deps.service_mail.domain.toLowerCase() ? keys.serviceMail(deps.service_mail.domain) : null,

    /** What whoever runs the service must publish, so that receivers can verify mail of composed addresses. */
    async serviceMailRecord(): Promise<DnsRecord> {
      return dkimRecord(await keys.serviceMail(deps.service_mail.domain));
    },

    /** Who receives at this address, with or without a +tag; null when nobody does. */
    async receiver(address: string): Promise<Receiver | null> {
      const key = address.toLowerCase();
      return receivers.get(key, async () => {
        const at = key.lastIndexOf('@');
        const domain = readHostName(key.slice(at + 1));
        if (domain === null) return null;
        // A composed address is user+org; what follows a second plus is the writer's own.
        const composed = `${key.slice(0, at).split('+', 2).join('+')}@${domain}`;
        return store.receiving({ domain, composed });
      });
    },

    async create(organization_id: string, given: EmailDomainCreate): Promise<EmailDomain> {
      return given.kind === 'service_mail'
        ? createServiceMail(organization_id, given)
        : store_new(await newCustom(organization_id, given));
    },

    list: (organization_id: string, query: PageRequest) => store.list(organization_id, query),

    has: async (organization_id: string, id: string): Promise<boolean> =>
      (await store.find(organization_id, id)) !== null,

    get: async (organization_id: string, id: string): Promise<EmailDomain> =>
      found(await store.find(organization_id, id)),

    async update(organization_id: string, id: string, patch: EmailDomainPatch): Promise<EmailDomain> {
      checkForwardRate(patch.forward_rate_per_hour, deps.forward_per_hour_max);
      const addresses = patch.forward_to && forwards.wanted(patch.forward_to);
      const change = {
        inbound_enabled: patch.inbound_enabled ?? null,
        forward_to: addresses?.map(({ address }) => address) ?? null,
        forward_rate_per_hour: patch.forward_rate_per_hour ?? null,
        now: clock.now(),
      };
      const updated = await deps.db.transaction(async (tx) => {
        const domain = await store.update(organization_id, id, change, tx);
        if (domain && addresses) await forwards.keepOnly(tx, organization_id, id, addresses);
        return domain;
      });
      forget();
      if (!addresses) return found(updated);
      found(updated);
      await forwards.askNew(id);
      return found(await store.find(organization_id, id));
    },

    async resendForwardConfirmation(
      organization_id: string,
      id: string,
      { address }: ForwardConfirmationCreate,
    ): Promise<EmailDomain> {
      found(await store.find(organization_id, id));
      await forwards.askAgain(organization_id, id, address.address);
      return found(await store.find(organization_id, id));
    },

    async delete(organization_id: string, id: string): Promise<undefined> {
      const deleted = await store.delete(organization_id, id);
      forget();
      if (!deleted) throw new ApiError('not_found');
    },

    /** A DNS server that does not answer concludes nothing: what was proved stays proved. */
    async verify(organization_id: string, id: string): Promise<EmailDomain> {
      const before = found(await store.find(organization_id, id));
      if (before.kind === 'service_mail') return before;
      const dns_records = await Promise.all(
        before.dns_records.map((record) => checkRecord(deps.dns, record)),
      );
      if (dns_records.every((record) => record.status === 'unknown')) throw new ApiError('dns_unavailable');
      const statusOf = (purpose: string) => dns_records.find((record) => record.purpose === purpose)!.status;
      const settle = (purposes: string[]) => {
        const states = purposes.map(statusOf);
        if (states.every((state) => state === 'verified')) return 'verified' as const;
        return states.some((state) => state === 'missing' || state === 'wrong') ? ('failed' as const) : null;
      };
      const inbound = statusOf('inbound_mx');
      const saved = await store.saveCheck(organization_id, id, {
        verification_status: settle(['dkim']),
        mail_from_status: settle(['mail_from_mx', 'mail_from_spf']),
        mx_ready: inbound === 'unknown' ? null : inbound === 'verified',
        dns_records,
        now: clock.now(),
      });
      forget();
      if (saved === 'taken') throw new ApiError('email_domain_taken');
      return found(saved);
    },

    /** Where bounces of its mail come back: its own domain once that is set up. */
    returnDomain: (sender: Sender | null): string =>
      sender?.mail_from_status === 'verified' && sender.mail_from_domain !== null
        ? sender.mail_from_domain
        : deps.service_mail.domain,

    /** Whom an email is from, or why it cannot be sent. */
    async sender(organization_id: string, wanted: Wanted): Promise<KnownSender | NoSender> {
      const key = `${organization_id} ${wanted.email_domain_id ?? ''} ${wanted.address ?? ''}`;
      const sender = await senders.get(key, () => readSender(organization_id, wanted));
      // Perhaps another process verifies a domain meanwhile.
      if (typeof sender === 'string') senders.forget(key);
      return sender;
    },
  };

  async function readSender(organization_id: string, wanted: Wanted): Promise<KnownSender | NoSender> {
    const { address, email_domain_id } = wanted;
    if (email_domain_id !== undefined) {
      const sender = await store.senderById(organization_id, email_domain_id);
      if (!sender) return 'no_sending_domain';
      if (address === undefined) return { ...sender, address: sender.default_address };
      const at = readHostName(address.slice(address.lastIndexOf('@') + 1));
      const owned =
        sender.kind === 'custom' ? at === sender.domain : address.toLowerCase() === sender.default_address;
      return owned ? { ...sender, address } : 'from_not_allowed';
    }
    if (address !== undefined) {
      const sender = await store.senderOf(organization_id, address);
      return sender ? { ...sender, address } : 'from_not_allowed';
    }
    const sender = (await store.newestSender(organization_id)) ?? (await sandboxSender(organization_id));
    return sender ? { ...sender, address: sender.default_address } : 'no_sending_domain';
  }
}
function checkForwardRate(wanted: number | undefined, max: number): void {
  if (wanted === undefined || wanted <= max) return;
  throw new ApiError('forward_rate_too_high', {
    detail: `At most ${max} messages an hour can be forwarded.`,
    path: 'body.forward_rate_per_hour',
  });
}

export type EmailDomainService = ReturnType<typeof emailDomainService>;
