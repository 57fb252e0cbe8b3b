// The tools of an MCP server, and which of them agents may use.
import { Checkbox, NativeSelect } from '@mantine/core';
import type { McpServer } from '@parley/sdk';
import { PlainBadge, type Tone } from '../../parts/badge.tsx';
import { Form } from '../../parts/form.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';

type ServerTool = McpServer['tools'][number];
type Entry = McpServer['allow'][number];
/** What a tool does, and whether a person approves each call. */
type Use = `${Entry['effect']}:${Entry['approval']}`;
type Allowed = Record<string, Use>;

const uses: { value: Use; label: string }[] = [
  { value: 'act:none', label: 'Makes changes' },
  { value: 'act:required', label: 'Makes changes, after an approval' },
  { value: 'read:none', label: 'Reads only' },
  { value: 'read:required', label: 'Reads only, after an approval' },
];

const entryOf = (name: string, use: Use): Entry => {
  const [effect, approval] = use.split(':') as [Entry['effect'], Entry['approval']];
  return { name, effect, approval };
};

/** What the person allows is the description on this page. */
function seen({ tools }: McpServer, tool_name: string): { definition_hash?: string } {
  const hash = tools.find(({ name }) => name === tool_name)?.definition_hash;
  return hash ? { definition_hash: hash } : {};
}

const states: Partial<Record<ServerTool['state'], [text: string, tone: Tone]>> = {
  changed: ['changed since it was allowed', 'warn'],
  gone: ['no longer offered', 'bad'],
  not_supported: ['not supported', 'bad'],
};

function ToolLine({
  tool,
  use,
  onChange,
}: {
  tool: ServerTool;
  use: Use | undefined;
  onChange(next: Use | undefined): void;
}) {
  const state = states[tool.state];
  return (
    <div className="row spread" style={{ alignItems: 'flex-start' }}>
      <Checkbox
        label={tool.name}
        description={tool.description}
        checked={use !== undefined}
        disabled={tool.state === 'not_supported' && use === undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? 'act:none' : undefined)}
        style={{ flex: '1 1 14rem' }}
      />
      {state && <PlainBadge tone={state[1]}>{state[0]}</PlainBadge>}
      {use && (
        <NativeSelect
          size="xs"
          aria-label={`Permission for ${tool.name}`}
          value={use}
          onChange={(event) => onChange(event.currentTarget.value as Use)}
          data={uses}
        />
      )}
    </div>
  );
}

export function McpServerTools({ server, close }: { server: McpServer; close(): void }) {
  // A tool that changed is not allowed until a person allows it again.
  const usable = (name: string) =>
    server.tools.some((tool) => tool.name === name && tool.state !== 'changed');
  const form = useForm(
    {
      allow: Object.fromEntries(
        server.allow
          .filter(({ name }) => usable(name))
          .map(({ name, effect, approval }) => [name, `${effect}:${approval}`]),
      ) as Allowed,
    },
    ({ allow }) =>
      parley.mcpServers.update(server.id, {
        allow: Object.entries(allow).map(([name, use]) => ({ ...entryOf(name, use), ...seen(server, name) })),
      }),
    {
      changes: ['mcp-servers'],
      message: `The allowed tools of ${server.name} are saved.`,
      done: close,
    },
  );
  const change = (name: string, use: Use | undefined) => {
    const { [name]: _, ...others } = form.fields.allow;
    form.set({ allow: use ? { ...others, [name]: use } : others });
  };
  if (server.tools.length === 0) return <p>The server has not listed any tools yet.</p>;
  return (
    <Form action={form} submit="Save allowed tools">
      <p className="muted" style={{ margin: 0 }}>
        A tool is allowed as it is described here. When its description changes, agents cannot use it until
        you allow it again.
      </p>
      {server.tools.map((tool) => (
        <ToolLine
          key={tool.name}
          tool={tool}
          use={form.fields.allow[tool.name]}
          onChange={(use) => change(tool.name, use)}
        />
      ))}
    </Form>
  );
}
