// The SQL of the event log.
import { streamEventTypes } from '@parley/contract/stream-events';
import type { Database } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';
import { firstIdAt } from '../../platform/ids.ts';

export type LoggedEvent = { id: string; type: string; payload: string; position: string };

/** A place in the order of events: of the event with this id, or before all of the position when there is none. */
export type Place = { position: string; id: string | null };

/** Where a stream begins, and the few events behind that place that had already happened. */
export type Beginning = Place & { known_ids: string[] };

const list = cursors('events');

export function eventStore(db: Database) {
  return {
    list(
      organization_id: string,
      query: PageRequest & { type?: string | undefined; resource_id?: string | undefined },
    ) {
      const { type, resource_id } = query;
      return readPage(db, list, query, {
        columns: sql`id, payload`,
        json: sql`payload`,
        from: sql`events`,
        // What only the stream tells would bury the rest.
        where: sql`organization_id = ${organization_id} and type <> all(${streamEventTypes})
                   ${type ? sql`and type = ${type}` : sql.empty}
                   ${resource_id ? sql`and resource_id = ${resource_id}` : sql.empty}`,
      });
    },

    /** Over all organizations; false when there may be more. */
    async forget(before: Date): Promise<boolean> {
      const at_once = 5000;
      // From organization to organization through the index, and in each no further than the moment.
      const removed = await db.run(sql`
        with recursive step as (
          (select organization_id from events order by organization_id limit 1)
          union all
          select next.organization_id from step, lateral (
            select organization_id from events where organization_id > step.organization_id
             order by organization_id limit 1) next
        ), old as (
          select old.organization_id, old.id from step, lateral (
            select organization_id, id from events
             where organization_id = step.organization_id and id < ${firstIdAt(before)}
             order by id limit ${at_once}) old
           limit ${at_once}
        )
        delete from events e using old where e.organization_id = old.organization_id and e.id = old.id`);
      return removed < at_once;
    },

    networkOf: (organization_id: string, id: string) =>
      db.maybe<Place>(sql`
        select position::text, id from events where organization_id = ${organization_id} and id = ${id}`),

    /**
     * Before everything that is still to be committed. A transaction anywhere in the server can hold that place back
     * behind events that are committed already; those are named, so that they are not told as news.
     */
    async placeNow(organization_id: string): Promise<Beginning> {
      const row = await db.maybe<{ position: string; known_ids: string[] }>(sql`
        select pg_snapshot_xmin(pg_current_snapshot())::text as position, array(
          select id::text from events where organization_id = ${organization_id}
             and position >= pg_snapshot_xmin(pg_current_snapshot())) as known_ids`);
      return { ...row!, id: null };
    },

    /**
     * In the order of the transactions that wrote them, and only those older than every transaction still running: an
     * event that commits late can then never come before one that was already read.
     */
    after: (organization_id: string, place: Place, limit: number) =>
      db.rows<LoggedEvent>(sql`
        select id, type, payload, position::text from events
         where organization_id = ${organization_id}
           and (position, id) > (${place.position}::xid8, ${place.id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
           and position < pg_snapshot_xmin(pg_current_snapshot())
         order by events.position, id limit ${limit}`),

    /** Which of these organizations had an event since, and the place from which to ask the next time. */
    async news(
      organization_ids: readonly string[],
      since: string,
    ): Promise<{ fresh: string[]; until: string }> {
      const row = await db.maybe<{ fresh: string[]; until: string }>(sql`
        select pg_snapshot_xmin(pg_current_snapshot())::text as until, array(
          select asked.id::text from unnest(${organization_ids}::uuid[]) asked (id)
           where exists (select from events where organization_id = asked.id and position >= ${since}::xid8)) as fresh`);
      return row!;
    },
  };
}
export type EventStore = ReturnType<typeof eventStore>;
