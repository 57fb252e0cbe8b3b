// The SQL that finds the receiver of an address. Every received message runs it.
import type { AgentAddress, EmailDomain } from '@parley/contract/channels/emails/email-domains';
import { batched } from '../../../../platform/batch.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { confirmedForwards } from '../forwards/forward-store.ts';

/** The data of a domain that receiving needs. */
export type Receiver = {
  organization_id: string;
  email_domain_id: string;
  kind: EmailDomain['kind'];
  domain: string;
  default_address: string;
  forward_to: string[];
  forward_rate_per_hour: number;
  email_agent_id: string | null;
  agent_addresses: AgentAddress[];
};

/** Returns a function that finds the owner of a service_mail address, or else of the custom domain. Lookups are batched. */
export const receiverStore = (db: Database, forward_per_hour_max: number) =>
  batched<{ domain: string; address: string }, Receiver | null>(
    async (lookups) => {
      const rows = await db.rows<Receiver>(sql`
        select organization_id, id as email_domain_id, kind, domain, default_address, ${confirmedForwards} as forward_to,
               least(forward_rate_per_hour, ${forward_per_hour_max}::int) as forward_rate_per_hour,
               email_agent_id, coalesce(agent_addresses, '[]') as agent_addresses
          from email_domains
         where verification_status = 'verified' and inbound_enabled
           and ((kind = 'custom' and domain = any(${lookups.map(({ domain }) => domain)}))
             or (kind = 'service_mail' and default_address = any(${lookups.map(({ address }) => address)})))`);
      const by_domain = new Map(rows.filter((row) => row.kind === 'custom').map((row) => [row.domain, row]));
      const by_address = new Map(
        rows.filter((row) => row.kind === 'service_mail').map((row) => [row.default_address, row]),
      );
      return lookups.map(({ domain, address }) => by_address.get(address) ?? by_domain.get(domain) ?? null);
    },
    { max_flushes: 2 },
  );
