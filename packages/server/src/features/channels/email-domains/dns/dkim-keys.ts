// Creates DKIM key pairs, and caches the opened private keys of senders: parsing a key takes as long as signing with it.
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../../../platform/clock.ts';
import type { Sealer } from '../../../../platform/crypto.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { SigningKey } from '../../../../protocols/mail/dkim/sign.ts';
import type { Sender, SenderStore } from '../senders/sender-store.ts';

const max_cached_keys = 1000;

export function dkimKeys(deps: {
  clock: Clock;
  ids: Ids;
  sealer: Sealer;
  store: Pick<SenderStore, 'serviceMailKey' | 'storeServiceMailKey'>;
}) {
  const opened = new Map<string, KeyObject>();
  // The context binds a sealed key to its owner.
  const domainContext = (domain_id: string) => `email_domain:${domain_id}:dkim`;
  const serviceMailContext = (domain: string) => `service_mail:${domain}:dkim`;

  /** RSA-2048: every receiver can verify it, and the record is short enough for every DNS host. */
  const create = async (context: string): Promise<{ public_key: string; sealed: string }> => {
    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    return {
      public_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      sealed: deps.sealer.seal(privateKey.export({ type: 'pkcs8', format: 'der' }), context),
    };
  };

  const open = (sealed: string, context: string): KeyObject => {
    let key = opened.get(sealed);
    if (!key) {
      key = createPrivateKey({ key: deps.sealer.open(sealed, context), format: 'der', type: 'pkcs8' });
      if (opened.size >= max_cached_keys) opened.delete(opened.keys().next().value!);
      opened.set(sealed, key);
    }
    return key;
  };

  const createServiceMailKey = async (domain: string) => {
    const { public_key, sealed } = await create(serviceMailContext(domain));
    // A new selector each time, so that the DNS record of an earlier database cannot conflict.
    const selector = selectorOf(deps.ids.next());
    return deps.store.storeServiceMailKey({
      domain,
      selector,
      public_key,
      private_key: sealed,
      created_at: deps.clock.now(),
    });
  };

  // The key never changes, so it is cached without a time limit.
  const service_mail = new Map<string, Promise<SigningKey & { public_key: string }>>();
  const serviceMail = (domain: string): Promise<SigningKey & { public_key: string }> => {
    const cached = service_mail.get(domain);
    if (cached) return cached;
    const reading = (async () => {
      const stored = (await deps.store.serviceMailKey(domain)) ?? (await createServiceMailKey(domain));
      const key = open(stored.private_key, serviceMailContext(domain));
      return { selector: stored.selector, domain, key, public_key: stored.public_key };
    })();
    service_mail.set(domain, reading);
    reading.catch(() => service_mail.delete(domain));
    return reading;
  };

  return {
    create: (domain_id: string) => create(domainContext(domain_id)),

    /** The key of a domain of the service; created on first use. */
    serviceMail,

    async of(sender: Sender): Promise<SigningKey | null> {
      if (sender.kind === 'service_mail') return serviceMail(sender.domain);
      if (!sender.dkim_private_key || !sender.dkim_selector) return null;
      const key = open(sender.dkim_private_key, domainContext(sender.id));
      return { selector: sender.dkim_selector, domain: sender.domain, key };
    },
  };
}

export type DkimKeys = ReturnType<typeof dkimKeys>;

export const selectorOf = (id: string) => `parley-${id.slice(-12)}`;
