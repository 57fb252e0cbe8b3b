// Decides which network addresses this server may connect to on behalf of a user.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `forbidden` addresses cannot be allowed by any setting: link-local (cloud metadata), multicast, tunnels, invalid ones. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'forbidden';

export type CidrList = readonly string[];
export type PrivateTargets = 'allow' | 'deny' | CidrList;

export type AddressPolicySetting = { private_targets: PrivateTargets; require_https: boolean };

export type AddressRefusal = 'address_not_allowed' | 'https_required';

export type AddressPolicy = AddressPolicySetting & {
  /** Checks all addresses of a target; null means that it may be contacted. */
  refusal(protocol: string, addresses: readonly string[]): AddressRefusal | null;
};

const KIND_OF_RANGE: Record<string, AddressKind> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
};

// RFC 4291 section 2.4: every global unicast address handed out so far. It leaves out ::/96, the old IPv4-compatible
// form, under which ::7f00:1 is another spelling of 127.0.0.1.
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

export function addressKind(address: string): AddressKind {
  const parsed = parseAddress(address);
  return parsed ? kindOf(parsed) : 'forbidden';
}

export function addressPolicy(setting: AddressPolicySetting): AddressPolicy {
  const { private_targets, require_https } = setting;
  const open_ranges =
    typeof private_targets === 'string' ? [] : private_targets.map((cidr) => ipaddr.parseCIDR(cidr));

  const allows = (address: string): boolean => {
    const parsed = parseAddress(address);
    const kind = parsed ? kindOf(parsed) : 'forbidden';
    if (kind === 'public' || kind === 'forbidden') return kind === 'public';
    return private_targets === 'allow' || open_ranges.some((range) => inRange(parsed!, range));
  };

  return {
    private_targets,
    require_https,
    refusal(protocol, addresses) {
      if (addresses.length === 0 || !addresses.every(allows)) return 'address_not_allowed';
      if (!require_https || protocol === 'https:') return null;
      // Traffic to loopback cannot be read on a network.
      return addresses.every((address) => addressKind(address) === 'loopback') ? null : 'https_required';
    },
  };
}

/** Reads the setting `allow | deny | <cidr>,<cidr>…` and returns all problems. */
export function parsePrivateTargets(
  text: string,
): { ok: true; private_targets: PrivateTargets } | { ok: false; problems: string[] } {
  const trimmed = text.trim();
  if (trimmed === 'allow' || trimmed === 'deny') return { ok: true, private_targets: trimmed };
  const cidrs = trimmed.split(',').map((part) => part.trim());
  const problems = cidrs
    .filter((cidr) => !isCidr(cidr))
    .map((cidr) => `"${cidr}" is not a CIDR such as 10.0.0.0/8`);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, private_targets: cidrs };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Accepts only the forms that the operating system accepts: ipaddr.js also reads octal and hexadecimal ones, and it reads
 * `::127.0.0.1` as a mapped address, which means ::7f00:1 for the operating system.
 */
function parseAddress(address: string): Address | null {
  if (isIP(address) === 0 || !ipaddr.isValid(address) || /^::\d+\./.test(address)) return null;
  return ipaddr.process(address);
}

function kindOf(address: Address): AddressKind {
  const kind = KIND_OF_RANGE[address.range()] ?? 'forbidden';
  return kind === 'public' && address.kind() === 'ipv6' && !address.match(GLOBAL_IPV6) ? 'forbidden' : kind;
}

function inRange(address: Address, range: [Address, number]): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}

function isCidr(text: string): boolean {
  const [address = '', prefix_length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || !ipaddr.isValid(address) || rest.length > 0) return false;
  if (!/^\d{1,3}$/.test(prefix_length ?? '')) return false;
  // Addresses are unwrapped before they are compared, so a mapped range could never match.
  if (family === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()) return false;
  return Number(prefix_length) <= (family === 4 ? 32 : 128);
}
