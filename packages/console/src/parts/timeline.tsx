// The timeline of one record, oldest first, with details.
import type { ReactNode } from 'react';
import { humanize, toneOf } from './badge.tsx';
import { JsonView } from './copy.tsx';
import { clockTime, exactTime } from './time.tsx';

export type TimelineEntry = {
  id: string;
  kind: string;
  /** Instead of the kind. */
  title?: string;
  occurred_at: string;
  detail: Record<string, unknown>;
  /** Shown before the details. */
  body?: ReactNode;
};

export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  if (entries.length === 0) return <p className="muted">Nothing yet.</p>;
  return (
    <ol className="timeline">
      {entries.map(({ id, kind, title, occurred_at, detail, body }) => (
        <li key={id}>
          <span className={`dot ${toneOf(kind)}`} />
          <div className="row spread">
            <strong>{title ?? humanize(kind)}</strong>
            <time className="small muted mono" dateTime={occurred_at} title={exactTime(occurred_at)}>
              {clockTime(occurred_at)}
            </time>
          </div>
          {body}
          {Object.keys(detail).length > 0 && (
            <details>
              <summary className="small muted">Details</summary>
              <JsonView value={detail} label="the details" />
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
