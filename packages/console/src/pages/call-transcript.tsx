// What two people said to each other; a line leads to its place in the recording where there is one.
import type { CallTurn } from '@parley/sdk';
import type { ReactNode } from 'react';

const clock = (ms: number) =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;

export function Transcript({
  turns,
  is_final,
  onSeek,
}: {
  turns: readonly CallTurn[];
  is_final: boolean;
  onSeek?: (ms: number) => void;
}) {
  if (turns.length === 0)
    return (
      <p className="muted">
        {is_final ? 'Nothing was said.' : 'Nothing yet. Words appear here as they are said.'}
      </p>
    );
  return (
    <div className="talk" role="log" aria-label="Transcript">
      {turns.map((turn) => {
        const look = turn.speaker === 'agent' ? 'bubble ours' : 'bubble';
        const content: ReactNode = (
          <>
            {turn.text}
            <span className="meta">
              <span>{turn.speaker === 'agent' ? 'Agent' : 'Person'}</span>
              <span className="mono">{clock(turn.started_ms)}</span>
              {turn.is_interrupted && <span>interrupted</span>}
              {turn.timings && <span>{Math.round(turn.timings.total_ms)} ms</span>}
            </span>
          </>
        );
        const key = `${turn.speaker}-${turn.started_ms}`;
        return onSeek ? (
          <button
            key={key}
            type="button"
            className={look}
            onClick={() => onSeek(turn.started_ms)}
            title="Play from here"
          >
            {content}
          </button>
        ) : (
          <div key={key} className={look}>
            {content}
          </div>
        );
      })}
    </div>
  );
}
