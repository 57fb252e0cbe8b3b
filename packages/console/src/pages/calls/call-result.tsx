// What a call resulted in: its summary, whether it succeeded, and the data that was taken from it.
import { Button } from '@mantine/core';
import type { Call } from '@parley/sdk';
import { PlainBadge } from '../../parts/badge.tsx';
import { Card, Facts } from '../../parts/page.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

const error_text: Record<NonNullable<Call['result_error']>, string> = {
  invalid_result: 'The model returned data that does not fit the schema, twice.',
  llm_unavailable: 'The language model could not be reached.',
  llm_refused: 'The language model refused.',
  timeout: 'The language model took too long.',
  too_long: 'The transcript or the result is too long.',
};

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function Data({ call: { result, evidence } }: { call: Call }) {
  if (result === null) return null;
  return (
    <SmallTable
      label="Data from the call"
      items={Object.entries(result)}
      keyOf={([name]) => name}
      columns={[
        { title: 'Field', width: '35%', cell: ([name]) => <span className="mono">{name}</span> },
        {
          title: 'Value',
          width: '45%',
          cell: ([, value]) =>
            value === null ? (
              <span className="muted">not said</span>
            ) : (
              <span className="break">{textOf(value)}</span>
            ),
        },
        {
          title: 'From line',
          width: '20%',
          cell: ([name]) => evidence?.[name]?.join(', ') ?? '–',
        },
      ]}
    />
  );
}

function Content({ call }: { call: Call }) {
  const { result_status: status, result_error, summary, success, success_reason } = call;
  if (status === 'pending') return <p role="status">The result is being made.</p>;
  if (status === 'skipped') return <p>Nobody spoke with the agent, so there is no result.</p>;
  return (
    <div className="stack tight">
      {status === 'failed' && (
        <div className="problem" role="alert">
          <strong>There is no result. {result_error && error_text[result_error]}</strong>
        </div>
      )}
      {summary && <p style={{ margin: 0 }}>{summary}</p>}
      {success !== null && (
        <Facts
          of={[
            [
              'Goal',
              <PlainBadge key="success" tone={success ? 'good' : 'bad'}>
                {success ? 'reached' : 'not reached'}
              </PlainBadge>,
            ],
            ['Reason', success_reason],
          ]}
        />
      )}
      <Data call={call} />
      {call.result_engine && <span className="small muted">Written by {call.result_engine}</span>}
    </div>
  );
}

export function CallResult({ call }: { call: Call }) {
  const again = useAction(() => parley.calls.result(call.id, {}), { changes: ['calls'], toast_error: true });
  if (call.result_status === 'none') return null;
  const is_settled = call.result_status === 'ready' || call.result_status === 'failed';
  return (
    <Card
      title="Result"
      actions={
        is_settled && (
          <Button size="xs" variant="default" loading={again.busy} onClick={() => again.run(undefined)}>
            Make it again
          </Button>
        )
      }
    >
      <Content call={call} />
    </Card>
  );
}
