// Email domains of organizations: create, verify, change and delete them; find the sender or the receiver of an address.
import type {
  DnsRecord,
  EmailDomain,
  EmailDomainCreate,
  EmailDomainPatch,
  ForwardConfirmationCreate,
} from '@parley/contract/channels/emails/email-domains';
import { readHostName } from '@parley/contract/schema/host-name';
import type { Mailbox } from '@parley/contract/schema/mailbox';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import type { Dns } from '../../../platform/dns.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import type { SigningKey } from '../../../protocols/mail/dkim/sign.ts';
import { mayLoosen } from '../../access/rule-inputs/index.ts';
import { type CreateDomainDeps, createDomain } from './create-domain.ts';
import { checkDns, type DomainDns } from './dns/check-dns.ts';
import { dkimKeys } from './dns/dkim-keys.ts';
import { dkimRecord } from './dns/dns-records.ts';
import { verifyDomain } from './dns/verify-domain.ts';
import {
  type ForwardAddressDeps,
  type ForwardAddresses,
  forwardAddresses,
} from './forwards/forward-addresses.ts';
import {
  addedTo,
  type WaitingForwardDeps,
  type WaitingForwards,
  waitingForwardAddresses,
} from './forwards/waiting-forwards.ts';
import {
  findSender,
  type NoSender,
  type RequestedSender,
  type SenderAddress,
} from './senders/find-sender.ts';
import { type IsReceivedHere, receivedHere } from './senders/received-here.ts';
import { type Receiver, receiverStore } from './senders/receiver-store.ts';
import { type Sender, senderStore } from './senders/sender-store.ts';
import { type EmailDomainStore, emailDomainStore } from './store.ts';

export type EmailDomainDeps = Omit<ForwardAddressDeps, 'onChange' | 'isReceivedHere'> &
  Omit<WaitingForwardDeps, 'changed'> &
  Omit<CreateDomainDeps, 'store' | 'keys'> & {
    db: Database;
    sealer: Sealer;
    dns: Dns;
    hasAgent(organization_id: string, id: string): Promise<boolean>;
  };

/** Every sent and received email looks these up. Another process sees a change after at most `max_age_ms`. */
const cache_options = { max_entries: 10_000, max_age_ms: 2000 };

export function emailDomainService(deps: EmailDomainDeps) {
  const store = emailDomainStore(deps.db, deps.forward_per_hour_max);
  const senders = senderStore(deps.db);
  const findReceiver = receiverStore(deps.db, deps.forward_per_hour_max);
  const keys = dkimKeys({ ...deps, store: senders });
  const cached_receivers = keyedTtlCache<Receiver | null>(cache_options);
  const cached_senders = keyedTtlCache<SenderAddress | NoSender>(cache_options);
  const clearCaches = () => {
    cached_receivers.forgetAll();
    cached_senders.forgetAll();
  };
  const isReceivedHere = receivedHere({
    store,
    service_domains: [deps.service_mail.domain, ...(deps.sandbox_domain ? [deps.sandbox_domain] : [])],
  });
  const forwards = forwardAddresses({ ...deps, isReceivedHere, onChange: clearCaches });
  const holds = waitingForwardAddresses({
    ...deps,
    changed(email_domain_id) {
      clearCaches();
      // A request that fails is repeated by the job.
      forwards.requestNew(email_domain_id).catch(() => {});
    },
  });
  const create_deps = { ...deps, store, keys, isReceivedHere };

  return {
    ...domainRecords({ ...create_deps, forwards, holds, clearCaches }),
    forwards,
    /** Whether programs can read mail to this address through this server. */
    isReceivedHere,
    waiting_forwards: holds.port,
    signingKey: keys.of,

    /** The key for mail of the service itself; null for a domain that is not the service's. */
    serviceMailKey: async (domain: string): Promise<SigningKey | null> =>
      domain === deps.service_mail.domain.toLowerCase() ? keys.serviceMail(deps.service_mail.domain) : null,

    /** The record that the operator must publish, so that receivers can verify mail from service_mail addresses. */
    async serviceMailRecord(): Promise<DnsRecord> {
      return dkimRecord(await keys.serviceMail(deps.service_mail.domain));
    },

    /** The DNS records of up to five custom domains as they are now, unverified domains first. */
    dnsNow: async (organization_id: string): Promise<DomainDns[]> =>
      checkDns(deps.dns, await store.toCheck(organization_id, 5)),

    /** The organization and domain that receive mail at this address, with or without a +tag; null if there is none. */
    async receiver(address: string): Promise<Receiver | null> {
      const key = address.toLowerCase();
      return cached_receivers.get(key, async () => {
        const at = key.lastIndexOf('@');
        const domain = readHostName(key.slice(at + 1));
        if (domain === null) return null;
        // The local part of a service_mail address is user+org; a second plus begins a tag.
        const without_tag = `${key.slice(0, at).split('+', 2).join('+')}@${domain}`;
        return findReceiver({ domain, address: without_tag });
      });
    },

    /** The sender of an email, or the reason why it cannot be sent. */
    async sender(organization_id: string, requested: RequestedSender): Promise<SenderAddress | NoSender> {
      const key = `${organization_id} ${requested.email_domain_id ?? ''} ${requested.address ?? ''}`;
      const sender = await cached_senders.get(key, () =>
        findSender({ ...create_deps, senders, clearCaches }, organization_id, requested),
      );
      // Not cached: another process may verify a domain at any time.
      if (typeof sender === 'string') cached_senders.forget(key);
      return sender;
    },

    /** The domain of return paths: the sender's own once it is verified. */
    returnDomain: (sender: Sender | null): string =>
      sender?.mail_from_status === 'verified' && sender.mail_from_domain !== null
        ? sender.mail_from_domain
        : deps.service_mail.domain,
  };
}
export type EmailDomainService = ReturnType<typeof emailDomainService>;

type RecordDeps = EmailDomainDeps &
  CreateDomainDeps & {
    store: EmailDomainStore;
    forwards: ForwardAddresses;
    holds: WaitingForwards;
    isReceivedHere: IsReceivedHere;
    clearCaches(): void;
  };

/** The operations of the API. */
function domainRecords(deps: RecordDeps) {
  const { store, forwards, clearCaches } = deps;
  const get = async (organization_id: string, id: string): Promise<EmailDomain> =>
    existing(await store.find(organization_id, id));
  return {
    get,
    list: (organization_id: string, query: PageRequest) => store.list(organization_id, query),

    has: async (organization_id: string, id: string): Promise<boolean> =>
      (await store.find(organization_id, id)) !== null,

    async create(organization_id: string, request: EmailDomainCreate): Promise<EmailDomain> {
      const domain = await createDomain(deps, organization_id, request);
      clearCaches();
      return domain;
    },

    update: (context: Context, id: string, patch: EmailDomainPatch) => updateDomain(deps, context, id, patch),

    async resendForwardConfirmation(
      organization_id: string,
      id: string,
      { address }: ForwardConfirmationCreate,
    ): Promise<EmailDomain> {
      await get(organization_id, id);
      await forwards.requestAgain(organization_id, id, address.address);
      return get(organization_id, id);
    },

    async delete(organization_id: string, id: string): Promise<undefined> {
      const deleted = await deps.db.transaction(async (tx) => {
        await deps.holds.keepOnly(tx, { organization_id, id }, []);
        return store.delete(tx, organization_id, id);
      });
      clearCaches();
      if (!deleted) throw new ApiError('not_found');
    },

    async verify({ organization_id, caller }: Context, id: string): Promise<EmailDomain> {
      const domain = await get(organization_id, id);
      if (domain.kind === 'service_mail') return domain;
      try {
        return existing(
          await verifyDomain(deps, organization_id, domain, {
            is_person: mayLoosen(caller, 'email_domains.is_verified_by_person'),
          }),
        );
      } finally {
        clearCaches();
      }
    },
  };
}

const existing = <T>(record: T | null): T => {
  if (!record) throw new ApiError('not_found');
  return record;
};

async function updateDomain(
  deps: RecordDeps,
  context: Context,
  id: string,
  patch: EmailDomainPatch,
): Promise<EmailDomain> {
  const { store, forwards, holds } = deps;
  const { organization_id } = context;
  checkForwardRate(patch.forward_rate_per_hour, deps.forward_per_hour_max);
  await checkAgents(deps, organization_id, id, patch);
  const addresses = patch.forward_to && (await wantedForwards(deps, organization_id, id, patch.forward_to));
  const domain_before = addresses ? existing(await store.find(organization_id, id)) : null;
  const added = domain_before ? addedTo(domain_before, addresses!) : [];
  await forwards.requireConfirmable(organization_id, added);
  const held = domain_before ? await holds.judge(context, domain_before, added) : [];
  const change = {
    inbound_enabled: patch.inbound_enabled ?? null,
    forward_to: addresses?.map(({ address }) => address) ?? null,
    forward_rate_per_hour: patch.forward_rate_per_hour ?? null,
    email_agent_id: patch.email_agent_id,
    agent_addresses: patch.agent_addresses ?? null,
    now: deps.clock.now(),
  };
  const updated = await deps.db.transaction(async (tx) => {
    const domain = await store.update(organization_id, id, change, tx);
    if (!domain || !addresses) return domain;
    await forwards.removeOthers(tx, organization_id, id, addresses);
    const keys = addresses.map(({ key }) => key);
    await holds.keepOnly(tx, { organization_id, id }, keys);
    await holds.store(tx, held);
    return domain;
  });
  deps.clearCaches();
  if (!addresses) return existing(updated);
  existing(updated);
  await forwards.requestNew(id);
  return existing(await store.find(organization_id, id));
}

/** An address that waits keeps the spelling that a person decides about. */
async function wantedForwards(
  { forwards, holds }: RecordDeps,
  organization_id: string,
  id: string,
  mailboxes: readonly Mailbox[],
): Promise<{ address: string; key: string }[]> {
  const waiting = await holds.ofDomain(organization_id, id);
  const spellings = new Map(waiting.map(({ address_key, address }) => [address_key, address]));
  return forwards
    .unique(mailboxes)
    .map(({ key, address }) => ({ key, address: spellings.get(key) ?? address }));
}

async function checkAgents(
  { store, hasAgent }: RecordDeps,
  organization_id: string,
  id: string,
  { email_agent_id, agent_addresses = [] }: EmailDomainPatch,
): Promise<void> {
  const named = [
    ...(email_agent_id ? [{ path: 'body.email_agent_id', agent_id: email_agent_id }] : []),
    ...agent_addresses.map(({ agent_id }, index) => ({
      path: `body.agent_addresses.${index}.agent_id`,
      agent_id,
    })),
  ];
  for (const { path, agent_id } of named)
    if (!(await hasAgent(organization_id, agent_id))) throw new ApiError('agent_not_found', { path });
  if (agent_addresses.length > 0 && (await store.find(organization_id, id))?.kind === 'service_mail')
    throw new ApiError('domain_not_custom', { path: 'body.agent_addresses' });
}

function checkForwardRate(requested: number | undefined, max: number): void {
  if (requested === undefined || requested <= max) return;
  throw new ApiError('forward_rate_too_high', {
    detail: `At most ${max} messages an hour can be forwarded.`,
    path: 'body.forward_rate_per_hour',
  });
}
