// The timeline of a call, with each use of a tool as one entry: its arguments, outcome and duration.
import type { CallTimelineEntry, ToolCall } from '@parley/sdk';
import { humanize } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Timeline, type TimelineEntry } from '../../parts/timeline.tsx';

const kinds = { built_in: 'Built-in tool', http: 'HTTP tool', mcp: 'MCP tool', client: 'Client tool' };
const settling = new Set<string>(['tool_answered', 'tool_failed']);

const outcomeOf = ({ status, duration_ms }: ToolCall) =>
  duration_ms === null ? humanize(status) : `${humanize(status)} in ${duration_ms} ms`;

const ToolCallBody = ({ use }: { use: ToolCall }) => (
  <div className="stack tight small">
    <span className="muted">
      {kinds[use.kind]} · {outcomeOf(use)}
    </span>
    {Object.keys(use.arguments).length > 0 && (
      <code className="mono break">{JSON.stringify(use.arguments)}</code>
    )}
    {use.error && (
      <span className="break">
        {humanize(use.error)}
        {use.detail && `: ${use.detail}`}
      </span>
    )}
    {use.result && (
      <details>
        <summary className="muted">Answer</summary>
        <CodeBlock code={use.result} label="the answer" />
      </details>
    )}
  </div>
);

const toolEntry = (use: ToolCall): TimelineEntry => ({
  id: use.id,
  kind: use.status === 'done' ? 'answered' : use.status,
  title: use.name,
  occurred_at: use.requested_at,
  detail: {},
  body: <ToolCallBody use={use} />,
});

export function CallTimeline({
  entries,
  tool_calls,
}: {
  entries: readonly CallTimelineEntry[];
  tool_calls: readonly ToolCall[];
}) {
  const uses = new Map(tool_calls.map((use) => [use.id, use]));
  const placed = new Set<string>();
  const merged = entries.flatMap((entry): TimelineEntry[] => {
    const use = uses.get(String(entry.detail.tool_call_id));
    if (!use) return [entry];
    if (settling.has(entry.kind)) return [];
    placed.add(use.id);
    return [toolEntry(use)];
  });
  // The list of tool calls can be newer than the timeline.
  const rest = tool_calls.filter(({ id }) => !placed.has(id)).map(toolEntry);
  return <Timeline entries={[...merged, ...rest.toReversed()]} />;
}
