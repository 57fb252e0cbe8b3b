// The SQL of the event log.

import { streamEventTypes } from '@parley/contract/channels/calls/stream-events';
import type { EventEnvelope } from '@parley/contract/event';
import { nil_uuid } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt, momentOf } from '../../../platform/ids.ts';

export type LoggedEvent = { id: string; type: string; payload: string; position: string };

/** The position of the event with this id; without an id, before all events of that position. */
export type EventPosition = { position: string; id: string | null };

/** Where a stream starts, and the few events after that position that were already committed. */
export type StreamStart = EventPosition & { known_ids: string[] };

/** Transactions and differences between clocks are shorter than this. */
const max_id_delay_ms = 86_400_000;

/**
 * The smallest id that an event can have which is written now or after the event with the given id. Conditions on the position
 * say nothing about partitions; with this one PostgreSQL plans and reads only the newest of them. Real time, because ids of a
 * process whose sandbox clock was moved are ahead of those of other processes.
 */
const firstIdSince = (wall_clock: Clock, id: string | null = null) => {
  const now_ms = wall_clock.ms();
  const since_ms = id === null ? now_ms : Math.min(now_ms, momentOf(id).getTime());
  return firstIdAt(new Date(Math.max(0, since_ms - max_id_delay_ms)));
};

const event_cursors = cursors('events');
const delete_batch = 5000;

export function eventStore(db: Database, wall_clock: Clock) {
  return {
    async list(
      organization_id: string,
      query: PageRequest & { type?: string | undefined; resource_id?: string | undefined },
    ) {
      const { type, resource_id } = query;
      const { items, next_cursor } = await readPage<{ id: string; event: EventEnvelope }>(
        db,
        event_cursors,
        query,
        {
          columns: sql`id, payload::json as event`,
          from: sql`events`,
          // The frequent events that exist only for streams are left out: the list would contain little else.
          where: sql`organization_id = ${organization_id} and type <> all(${streamEventTypes})
                   ${type ? sql`and type = ${type}` : sql.empty}
                   ${resource_id ? sql`and resource_id = ${resource_id}` : sql.empty}`,
        },
      );
      return { items: items.map(({ event }) => event), next_cursor };
    },

    /** Events that exist only for streams are left out: a call has hundreds of them. */
    ofResource: (organization_id: string, resource_id: string, limit: number) =>
      db.rows<{ id: string; type: string; created_at: string }>(sql`
        select id, type, iso(created_at) as created_at from events
         where organization_id = ${organization_id} and resource_id = ${resource_id} and type <> all(${streamEventTypes})
         order by id limit ${limit}`),

    deleteBefore: (time: Date) => deleteBefore(db, time),

    positionOf: (organization_id: string, id: string) =>
      db.maybe<EventPosition>(sql`
        select position::text, id from events where organization_id = ${organization_id} and id = ${id}`),

    /**
     * The position before everything that is not committed yet. A long transaction anywhere in the database can hold it
     * back behind committed events; `known_ids` lists those, so that the stream does not send them as new.
     */
    async currentPosition(organization_id: string): Promise<StreamStart> {
      const row = await db.maybe<{ position: string; known_ids: string[] }>(sql`
        select pg_snapshot_xmin(pg_current_snapshot())::text as position, array(
          select id::text from events where organization_id = ${organization_id} and id >= ${firstIdSince(wall_clock)}
             and position >= pg_snapshot_xmin(pg_current_snapshot())) as known_ids`);
      return { ...row!, id: null };
    },

    /**
     * Events in the order of their transactions, and only those older than every running transaction: an event that
     * commits late can then never come before one that was already read.
     */
    after: (organization_id: string, { position, id }: EventPosition, limit: number) =>
      // The start is a subquery so that the planner does not estimate how many rows follow. Statistics know no recent
      // positions: expecting one row, it would read and sort everything after the start instead of the first page.
      db.rows<LoggedEvent>(sql`
        select id, type, payload, position::text from events
         where organization_id = ${organization_id}
           and id >= ${position === '0' ? nil_uuid : firstIdSince(wall_clock, id)}
           and (position, id) > ((select ${position}::xid8), (select ${id ?? nil_uuid}::uuid))
           and position < pg_snapshot_xmin(pg_current_snapshot())
         order by events.position, id limit ${limit}`),

    /** Which of these organizations have events since a position, and the position for the next call. */
    async withEventsSince(
      organization_ids: readonly string[],
      since: string,
    ): Promise<{ with_events: string[]; until: string }> {
      const row = await db.maybe<{ with_events: string[]; until: string }>(sql`
        select pg_snapshot_xmin(pg_current_snapshot())::text as until, array(
          select requested.id::text from unnest(${organization_ids}::uuid[]) requested (id)
           where exists (select from events where organization_id = requested.id
                           and id >= ${firstIdSince(wall_clock)} and position >= ${since}::xid8)) as with_events`);
      return row!;
    },
  };
}
export type EventStore = ReturnType<typeof eventStore>;

/** Deletes old events of all organizations; false when there may be more. */
async function deleteBefore(db: Database, time: Date): Promise<boolean> {
  // Steps from organization to organization through the index, and reads only the old events of each.
  const deleted = await db.run(sql`
    with recursive step as (
      (select organization_id from events order by organization_id limit 1)
      union all
      select next.organization_id from step, lateral (
        select organization_id from events where organization_id > step.organization_id
         order by organization_id limit 1) next
    ), old as (
      select old.organization_id, old.id from step, lateral (
        select organization_id, id from events
         where organization_id = step.organization_id and id < ${firstIdAt(time)}
         order by id limit ${delete_batch}) old
       limit ${delete_batch}
    )
    delete from events e using old where e.organization_id = old.organization_id and e.id = old.id`);
  return deleted < delete_batch;
}
