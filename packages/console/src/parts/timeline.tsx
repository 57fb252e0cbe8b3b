// The timeline of one record, oldest first, with details.
import { humanize, toneOf } from './badge.tsx';
import { JsonView } from './copy.tsx';
import { clockTime, exactTime } from './time.tsx';

type Entry = { id: string; kind: string; occurred_at: string; detail: Record<string, unknown> };

export function Timeline({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return <p className="muted">Nothing yet.</p>;
  return (
    <ol className="timeline">
      {entries.map(({ id, kind, occurred_at, detail }) => (
        <li key={id}>
          <span className={`dot ${toneOf(kind)}`} />
          <div className="row spread">
            <strong>{humanize(kind)}</strong>
            <time className="small muted mono" dateTime={occurred_at} title={exactTime(occurred_at)}>
              {clockTime(occurred_at)}
            </time>
          </div>
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
