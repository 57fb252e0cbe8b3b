// The transcript of a call; a line seeks in the recording if there is one.
import type { CallTurn } from '@parley/sdk';
import type { ReactNode } from 'react';

const speakers: Record<CallTurn['speaker'], string> = {
  agent: 'Agent',
  person: 'Person',
  colleague: 'Colleague',
};

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
        {is_final ? 'No speech.' : 'Nothing yet. The transcript appears here during the call.'}
      </p>
    );
  return (
    <div className="talk" role="log" aria-label="Transcript">
      {turns.map((turn) => {
        const className = turn.speaker === 'person' ? 'bubble' : 'bubble ours';
        const content: ReactNode = (
          <>
            {turn.text}
            <span className="meta">
              <span>{speakers[turn.speaker]}</span>
              <span className="mono">{clock(turn.started_ms)}</span>
              {turn.is_private && <span>only the colleague heard it</span>}
              {turn.is_filler && <span>while it waited for a tool</span>}
              {turn.requested_by === 'api' && <span>by request</span>}
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
            className={className}
            onClick={() => onSeek(turn.started_ms)}
            title="Play from here"
          >
            {content}
          </button>
        ) : (
          <div key={key} className={className}>
            {content}
          </div>
        );
      })}
    </div>
  );
}
