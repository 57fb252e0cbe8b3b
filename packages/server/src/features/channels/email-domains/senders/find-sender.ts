// Finds the domain and address that an email is sent from.
import { readHostName } from '@parley/contract/schema/host-name';
import { type CreateDomainDeps, createSandboxSender } from '../create-domain.ts';
import type { Sender, SenderStore } from './sender-store.ts';

export type SenderAddress = Sender & { address: string };
export type NoSender = 'no_sending_domain' | 'from_not_allowed';
export type RequestedSender = { address?: string | undefined; email_domain_id?: string | undefined };

/** Without a requested address or domain the newest verified domain is used. Returns the reason if there is no sender. */
export async function findSender(
  deps: CreateDomainDeps & { senders: SenderStore; clearCaches(): void },
  organization_id: string,
  { address, email_domain_id }: RequestedSender,
): Promise<SenderAddress | NoSender> {
  const { senders } = deps;
  if (email_domain_id !== undefined) {
    const sender = await senders.byId(organization_id, email_domain_id);
    if (!sender) return 'no_sending_domain';
    if (address === undefined) return { ...sender, address: sender.default_address };
    return isAddressOf(sender, address) ? { ...sender, address } : 'from_not_allowed';
  }
  if (address !== undefined) {
    const sender = await senders.byAddress(organization_id, address);
    return sender ? { ...sender, address } : 'from_not_allowed';
  }
  let sender = await senders.newest(organization_id);
  if (!sender) {
    await createSandboxSender(deps, organization_id);
    deps.clearCaches();
    sender = await senders.newest(organization_id);
  }
  return sender ? { ...sender, address: sender.default_address } : 'no_sending_domain';
}

/** A custom domain owns all of its addresses, a service_mail domain exactly one. */
const isAddressOf = (sender: Sender, address: string): boolean =>
  sender.kind === 'custom'
    ? readHostName(address.slice(address.lastIndexOf('@') + 1)) === sender.domain
    : address.toLowerCase() === sender.default_address;
