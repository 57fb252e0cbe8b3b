// The SQL that collects, erases and forgets what people said in calls.
import { deleteOldRecords, ofOrganization, oldRecords } from '../../../../platform/db/old-rows.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { PersonalData, PersonalRecords } from '../../../../platform/personal-data.ts';

const records: PersonalRecords = {
  noun: 'call',
  count: 'calls',
  own: ({ organization_id, phones }) => sql`
    select id from calls where organization_id = ${organization_id}
       and ("from" = any(${[...phones]}) or "to" = any(${[...phones]}))`,
  parts: (organization_id, ids) => sql`
    select id from calls where organization_id = ${organization_id} and parent_call_id in ${ids}`,
  waiting: ({ organization_id, phones }) => sql`
    select id from calls where organization_id = ${organization_id} and hold is not null and "to" = any(${[...phones]})`,
  active: ({ organization_id, phones }) => sql`
    select id from calls where organization_id = ${organization_id}
       and status in ('queued', 'dialing', 'ringing', 'in_progress')
       and ("from" = any(${[...phones]}) or "to" = any(${[...phones]}))`,
  parties: (organization_id) => sql`
    select "from" as party from calls where organization_id = ${organization_id} and "from" is not null
    union select "to" from calls where organization_id = ${organization_id}`,
  old: oldRecords('calls', { is_finished: sql`ended_at is not null` }),
  async eraseContent(tx, { organization_id, ids, now, replaced_by }) {
    await tx.run(sql`
      update calls set variables = null, result_request = null, result = null, result_error = null, evidence = null,
             summary = null, success_reason = null, handoff_data = null,
             content_erased_at = coalesce(content_erased_at, ${now}),
             plan = (plan::jsonb || '{"system_prompt": "", "first_message": null, "context": null, "variables": {}}')::json
             ${
               replaced_by === null
                 ? sql`, transfer = case when json_typeof(transfer) = 'object'
                     then (transfer::jsonb || '{"reason": null, "failure": null}')::json end`
                 : sql`, transfer = null, metadata = '{}'`
             }
       where ${ofOrganization(organization_id, 'id', ids)}`);
    const of = ofOrganization(organization_id, 'call_id', ids);
    await tx.run(sql`delete from call_turns where ${of}`);
    await tx.run(sql`delete from call_commands where ${of}`);
    await tx.run(sql`update call_events set detail = '{}' where ${of}`);
    await tx.run(sql`update call_transfers set reason = null, failure = null where ${of}`);
    return 0;
  },
  deleteOld: deleteOldRecords('calls', {
    is_finished: sql`ended_at is not null and recording_key is null`,
    limit: 500,
  }),
};

export const callPersonalData: PersonalData = {
  owner: 'channels/calls',
  tables: {
    calls: {
      erased:
        'metadata plan recording_key variables transfer result_request result result_error evidence summary success_reason handoff_data',
      kept: {
        'parties: replaced by an erasure': 'from to',
        'states and codes':
          'direction status end_reason provider provider_call_id answered_by admission result_status result_engine leader_url',
        'a key of the program that speaks, sealed': 'brain_key_sealed llm_key_sealed',
        'when and why it waits, and its price': 'hold terms',
      },
    },
    call_turns: { erased: '*' },
    call_commands: { erased: '*' },
    call_events: { erased: 'detail', kept: { kinds: 'kind' } },
    call_transfers: {
      erased: 'reason failure',
      kept: {
        'parties: replaced by an erasure': 'destination to',
        'states and codes': 'status mode via requested_by',
      },
    },
  },
  records,
  objects: {
    count: 'recordings',
    of: (db, organization_id, ids) =>
      db.rows(sql`
        select id, recording_key as key from calls
         where ${ofOrganization(organization_id, 'id', ids)} and recording_key is not null`),
    forget: (db, organization_id, ids) =>
      db.run(sql`
        update calls set recording_key = null, recording_bytes = null
         where ${ofOrganization(organization_id, 'id', ids)}`),
  },
  async deleteCopies(tx, organization_id, ids) {
    const of = ofOrganization(organization_id, 'call_id', ids);
    await tx.run(sql`delete from call_turns where ${of}`);
    await tx.run(sql`delete from call_events where ${of}`);
    await tx.run(sql`delete from call_commands where ${of}`);
    await tx.run(sql`delete from call_transfers where ${of}`);
  },
};
