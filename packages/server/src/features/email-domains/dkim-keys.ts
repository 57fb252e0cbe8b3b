// Makes DKIM key pairs, and keeps the opened private keys of senders at hand: parsing one costs as much as signing.

import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import type { Ids } from '../../platform/ids.ts';
import type { SigningKey } from '../../protocols/mail/dkim/sign.ts';
import type { EmailDomainStore, Sender } from './store.ts';

const keys_at_hand = 1000;

export function dkimKeys(deps: {
  clock: Clock;
  ids: Ids;
  sealer: Sealer;
  store: Pick<EmailDomainStore, 'serviceMailKey' | 'keepServiceMailKey'>;
}) {
  const opened = new Map<string, KeyObject>();
  const of_domain = (domain_id: string) => `email_domain:${domain_id}:dkim`;
  const of_service_mail = (domain: string) => `service_mail:${domain}:dkim`;

  /** RSA-2048: every receiver verifies it, and it still fits the records of every DNS host. */
  const make = async (context: string): Promise<{ public_key: string; sealed: string }> => {
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
      if (opened.size >= keys_at_hand) opened.delete(opened.keys().next().value!);
      opened.set(sealed, key);
    }
    return key;
  };

  const makeServiceMailKey = async (domain: string) => {
    const { public_key, sealed } = await make(of_service_mail(domain));
    // A selector of its own: a record that an earlier database left in DNS must not stand in the way.
    const selector = selectorOf(deps.ids.next());
    return deps.store.keepServiceMailKey({
      domain,
      selector,
      public_key,
      private_key: sealed,
      created_at: deps.clock.now(),
    });
  };

  // It never changes once it is there, so it is asked for once.
  const service_mail = new Map<string, Promise<SigningKey & { public_key: string }>>();
  const serviceMail = (domain: string): Promise<SigningKey & { public_key: string }> => {
    const known = service_mail.get(domain);
    if (known) return known;
    const reading = (async () => {
      const kept = (await deps.store.serviceMailKey(domain)) ?? (await makeServiceMailKey(domain));
      const key = open(kept.private_key, of_service_mail(domain));
      return { selector: kept.selector, domain, key, public_key: kept.public_key };
    })();
    service_mail.set(domain, reading);
    reading.catch(() => service_mail.delete(domain));
    return reading;
  };

  return {
    make: (domain_id: string) => make(of_domain(domain_id)),

    /** The key of a domain of ours; made when nobody needed it before. */
    serviceMail,

    async of(sender: Sender): Promise<SigningKey | null> {
      if (sender.kind === 'service_mail') return serviceMail(sender.domain);
      if (!sender.dkim_private_key || !sender.dkim_selector) return null;
      const key = open(sender.dkim_private_key, of_domain(sender.id));
      return { selector: sender.dkim_selector, domain: sender.domain, key };
    },
  };
}

export const selectorOf = (id: string) => `parley-${id.slice(-12)}`;
