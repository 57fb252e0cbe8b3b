// Why an object is in its state: the verdict, every step on demand, and the requests that created or changed the object.
import { Button } from '@mantine/core';
import type { Explanation } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { parley } from '../session/client.ts';
import { humanize } from './badge.tsx';
import { Card, Read } from './page.tsx';
import { Timeline } from './timeline.tsx';

/** Reads only on demand: most records need no explanation. */
export function ExplainCard({ id }: { id: string }) {
  const [is_open, setOpen] = useState(false);
  const explained = useQuery({
    queryKey: ['explain', id],
    queryFn: () => parley.explain.object(id),
    enabled: is_open,
  });
  return (
    <Card
      title="What happened"
      actions={
        <Button
          size="xs"
          variant="default"
          loading={explained.isFetching}
          onClick={() => (is_open ? void explained.refetch() : setOpen(true))}
        >
          {is_open ? 'Refresh' : 'Explain'}
        </Button>
      }
    >
      {is_open ? (
        <Read query={explained}>{(found) => <Explained found={found} />}</Read>
      ) : (
        <p style={{ margin: 0 }}>Shows every step from the request on, who caused the outcome, and a fix.</p>
      )}
    </Card>
  );
}

function Explained({ found: { verdict, timeline, is_complete } }: { found: Explanation }) {
  return (
    <div className="stack tight">
      <p style={{ margin: 0 }}>
        <strong>{verdict.summary}</strong> {verdict.detail}
      </p>
      <p style={{ margin: 0 }}>{verdict.fix}</p>
      <p className="small muted" style={{ margin: 0 }}>
        Caused by: {humanize(verdict.who)} · Repeat: {humanize(verdict.retry)} · Code: {verdict.code}
      </p>
      <Timeline
        entries={timeline.map(({ at, layer, what, detail }, index) => ({
          id: String(index),
          kind: what,
          title: `${humanize(layer)}: ${humanize(what)}`,
          occurred_at: at,
          detail,
        }))}
      />
      {!is_complete && <p className="small muted">Entries in the middle are left out.</p>}
    </div>
  );
}
