// Converts WEBHOOK_PRIVATE_TARGETS into the policy for addresses that users supply: webhooks and their own language models.
import { type AddressPolicy, addressPolicy, type PrivateTargets } from './address-policy.ts';

/**
 * With only a shared key the operator supplies all targets, often on the same machine or network. Once others have keys,
 * targets must be public and encrypted. A list of ranges allows these ranges; the rest is as with `auto`.
 */
export function targetPolicy(
  setting: PrivateTargets | 'auto',
  options: { is_managed: boolean },
): AddressPolicy {
  const { is_managed } = options;
  if (setting === 'auto') {
    return addressPolicy({ private_targets: is_managed ? 'deny' : 'allow', require_https: is_managed });
  }
  if (setting === 'allow') return addressPolicy({ private_targets: 'allow', require_https: false });
  if (setting === 'deny') return addressPolicy({ private_targets: 'deny', require_https: true });
  return addressPolicy({ private_targets: setting, require_https: is_managed });
}
