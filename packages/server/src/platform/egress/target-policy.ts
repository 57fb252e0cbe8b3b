// Turns WEBHOOK_PRIVATE_TARGETS into the rule for the addresses that users may name: of webhooks and of their own language models.
import { type AddressPolicy, addressPolicy, type PrivateTargets } from './address-policy.ts';

/**
 * Trust follows who names the targets. With a shared key alone that is the operator, whose receivers are on
 * this machine or next to it; once others have keys, their targets must be public and encrypted. A list of ranges
 * opens those ranges and leaves the rest as `auto` has it.
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
