// The form of an MCP server: its address, and the headers that sign the agent in.
import { TextInput } from '@mantine/core';
import type { McpServer } from '@parley/sdk';
import { Form } from '../../parts/form.tsx';
import { type Pair, PairRows, recordOf } from '../../parts/pair-rows.tsx';
import { TimeLimitField } from '../../parts/time-limit.tsx';
import { parley } from '../../session/client.ts';
import { useForm } from '../../state/use-form.ts';

export function McpServerForm({ server, close }: { server?: McpServer; close(): void }) {
  const stored = server?.header_names ?? [];
  const form = useForm(
    {
      name: server?.name ?? '',
      url: server?.url ?? '',
      headers: [] as Pair[],
      timeout_ms: String(server?.timeout_ms ?? 8000),
    },
    ({ name, url, headers, timeout_ms }) => {
      const body = {
        name,
        url,
        timeout_ms: Number(timeout_ms),
        // Stored headers cannot be read, so they are sent only when new ones are given.
        ...(headers.length > 0 ? { headers: recordOf(headers) } : {}),
      };
      return server ? parley.mcpServers.update(server.id, body) : parley.mcpServers.create(body);
    },
    {
      changes: ['mcp-servers'],
      message: ({ name, status }) =>
        status === 'failed' ? `${name} was saved, but it did not answer.` : `${name} was saved.`,
      done: close,
    },
  );
  return (
    <Form action={form} submit={server ? 'Save server' : 'Add server'}>
      <TextInput
        label="Name"
        description="The model sees each tool as name__tool."
        placeholder="crm"
        {...form.field('name')}
        required
      />
      <TextInput
        label="URL"
        description={server && 'Another host removes the headers and the allowed tools.'}
        type="url"
        placeholder="https://mcp.example.com/mcp"
        {...form.field('url')}
        required
      />
      <PairRows
        label="Headers"
        about={
          stored.length > 0
            ? `Stored: ${stored.join(', ')}. New headers replace all of them.`
            : 'Such as Authorization. Stored encrypted and never shown again.'
        }
        noun="header"
        pairs={form.fields.headers}
        onChange={(headers) => form.set({ headers })}
      />
      <TimeLimitField {...form.field('timeout_ms')} />
    </Form>
  );
}
