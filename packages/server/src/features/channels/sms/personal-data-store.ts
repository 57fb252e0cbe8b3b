// The SQL that collects, erases and forgets what people wrote in texts, and who must not get any.
import { deleteOldRecords, ofOrganization, oldRecords } from '../../../platform/db/old-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData, PersonalRecords } from '../../../platform/personal-data.ts';

const is_finished = sql`status <> 'queued'`;

const records: PersonalRecords = {
  noun: 'sms',
  count: 'sms',
  own: ({ organization_id, phones }) => sql`
    select id from sms_messages where organization_id = ${organization_id}
       and ("from" = any(${[...phones]}) or "to" = any(${[...phones]}))`,
  waiting: ({ organization_id, phones }) => sql`
    select id from sms_messages where organization_id = ${organization_id} and hold is not null and status = 'queued'
       and "to" = any(${[...phones]})`,
  active: ({ organization_id, phones }) => sql`
    select id from sms_messages where organization_id = ${organization_id} and status = 'queued' and "to" = any(${[...phones]})`,
  parties: (organization_id) => sql`
    select "from" as party from sms_messages where organization_id = ${organization_id}
    union select "to" from sms_messages where organization_id = ${organization_id}`,
  old: oldRecords('sms_messages', { is_finished }),
  async eraseContent(tx, { organization_id, ids, now, replaced_by }) {
    await tx.run(sql`
      update sms_messages set body = '', content_erased_at = coalesce(content_erased_at, ${now})
             ${replaced_by === null ? sql.empty : sql`, metadata = '{}'`}
       where ${ofOrganization(organization_id, 'id', ids)}`);
    return 0;
  },
  deleteOld: deleteOldRecords('sms_messages', { is_finished, limit: 5000 }),
};

export const smsPersonalData: PersonalData = {
  owner: 'channels/sms',
  tables: {
    sms_messages: {
      erased: 'body metadata',
      kept: {
        'parties: replaced by an erasure': 'from to',
        'states and codes':
          'direction status error_code encoding provider provider_message_id origin admission labels',
        'when and why it waits, its price and its attempts': 'hold terms attempt_log',
      },
    },
    sms_suppressions: { erased: 'recipient', kept: { 'kinds of refusals': 'channel reason source' } },
  },
  records,
  /** A row with the hash may exist from an earlier erasure of the same person. */
  async erase(tx, { organization_id, keys, keep_suppression, created_at, hashOf }) {
    const own = sql`organization_id = ${organization_id}`;
    if (!keep_suppression)
      await tx.run(sql`
        delete from sms_suppressions where ${own} and created_at >= ${created_at}::timestamptz
           and recipient = any(${[...keys]}) and source = 'revocation'`);
    for (const key of keys) {
      const hash = hashOf(key);
      await tx.run(sql`
        update sms_suppressions set recipient = ${hash} where ${own} and channel = 'sms' and recipient = ${key}
           and not exists (select from sms_suppressions where ${own} and channel = 'sms' and recipient = ${hash})`);
      await tx.run(sql`delete from sms_suppressions where ${own} and recipient = ${key}`);
    }
    return {};
  },
};
