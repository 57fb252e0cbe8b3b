// Finds which addresses are ours.
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { Recipient } from './delivery.ts';

/** Leaves out addresses that belong to no organization. */
export async function findRecipients(
  domains: Pick<EmailDomainService, 'receiver'>,
  addresses: string[],
): Promise<Recipient[]> {
  const found = await Promise.all(
    addresses.map(async (address) => ({ address, receiver: await domains.receiver(address) })),
  );
  return found.flatMap(({ address, receiver }) => (receiver ? [{ address, receiver }] : []));
}
