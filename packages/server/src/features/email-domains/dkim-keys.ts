// Makes DKIM key pairs, and keeps the opened private keys of senders at hand: parsing one costs as much as signing.
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Sealer } from '../../platform/crypto.ts';
import type { Sender } from './store.ts';

const keys_at_hand = 1000;

export function dkimKeys(deps: { sealer: Sealer }) {
  const opened = new Map<string, KeyObject>();
  const context = (domain_id: string) => `email_domain:${domain_id}:dkim`;

  return {
    /** RSA-2048: every receiver verifies it, and it still fits the records of every DNS host. */
    async make(domain_id: string): Promise<{ public_key: string; sealed: string }> {
      const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
      return {
        public_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
        sealed: deps.sealer.seal(privateKey.export({ type: 'pkcs8', format: 'der' }), context(domain_id)),
      };
    },

    of(sender: Sender): { selector: string; domain: string; key: KeyObject } | null {
      if (!sender.dkim_private_key || !sender.dkim_selector) return null;
      let key = opened.get(sender.dkim_private_key);
      if (!key) {
        const der = deps.sealer.open(sender.dkim_private_key, context(sender.id));
        key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
        if (opened.size >= keys_at_hand) opened.delete(opened.keys().next().value!);
        opened.set(sender.dkim_private_key, key);
      }
      return { selector: sender.dkim_selector, domain: sender.domain, key };
    },
  };
}
