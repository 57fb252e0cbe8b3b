// The SQL of quotes: offers that a purchase can name.
import type { NumberOffer } from '@parley/contract/channels/numbers/numbers';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type Quote = NumberOffer & { id: string; organization_id: string };

export const quoteStore = (db: Database) => ({
  insert: (_organization_id: string, quotes: Quote[]) =>
    db.run(sql`
      insert into number_quotes
      select * from json_populate_recordset(null::number_quotes, ${JSON.stringify(quotes)})`),

  find: (organization_id: string, id: string) =>
    db.maybe<Quote>(sql`
      select id, id as quote_id, organization_id, provider, e164, pattern, country_code, number_type, capabilities,
             monthly_cents, setup_cents, currency, readiness, iso(expires_at) as expires_at
        from number_quotes where organization_id = ${organization_id} and id = ${id}`),

  deleteExpired: (before: Date) => db.run(sql`delete from number_quotes where expires_at < ${before}`),
});
export type QuoteStore = ReturnType<typeof quoteStore>;
