// Connect: configuration for agent clients and programs, and every tool with a form to try it.
import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { CodeBlock, CopyText } from '../../parts/copy.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { facts } from '../../session/facts.ts';
import { example_address } from '../../state/examples.ts';
import { useFilters } from '../../state/use-filters.ts';
import { Tools } from './connect-tools.tsx';

const { mcp_url, mcp_auth, base_url, command } = facts;
const json = (value: unknown) => JSON.stringify(value, null, 2);
/** Placeholder for the key: the user fills it in, or the command line uses the stored one. */
const headers = mcp_auth === 'key' ? { headers: { Authorization: 'Bearer YOUR_KEY' } } : {};

const clients: { name: string; where: string; code: string }[] = [
  {
    name: 'Command line',
    where: 'Where the server is installed, for any client',
    code: `${command} auth set - < data/shared-key\n${command} mcp install cursor --base-url ${base_url}`,
  },
  {
    name: 'Claude Code',
    where: 'In a terminal',
    code: `claude mcp add --transport http parley ${mcp_url}${mcp_auth === 'key' ? ' --header "Authorization: Bearer $PARLEY_API_KEY"' : ''}`,
  },
  {
    name: 'Cursor',
    where: '~/.cursor/mcp.json',
    code: json({ mcpServers: { parley: { url: mcp_url, ...headers } } }),
  },
  {
    name: 'VS Code',
    where: '.vscode/mcp.json',
    code: json({ servers: { parley: { type: 'http', url: mcp_url, ...headers } } }),
  },
  {
    name: 'Windsurf',
    where: '~/.codeium/windsurf/mcp_config.json',
    code: json({ mcpServers: { parley: { serverUrl: mcp_url, ...headers } } }),
  },
  {
    name: 'MCP Inspector',
    where: 'In a terminal',
    code:
      mcp_auth === 'key'
        ? `npx @modelcontextprotocol/inspector --cli ${mcp_url} --transport http --header "Authorization: Bearer $PARLEY_API_KEY" --method tools/list`
        : `npx @modelcontextprotocol/inspector --transport http --server-url ${mcp_url}`,
  },
];

const access = {
  oauth: 'Clients sign in through their browser; their files contain no secrets.',
  key: 'Clients send an API key with every request. With the command line they start the server over standard input instead, so that their files contain no key.',
  none: 'It does not authenticate callers: everyone who can reach its port uses the key in PARLEY_MCP_KEY.',
};

const programs: { name: string; where: string; code: string }[] = [
  {
    name: 'curl',
    where: 'In a terminal',
    code: `export PARLEY_URL=${base_url}\nexport PARLEY_API_KEY=$(cat data/shared-key)   # or your own key\ncurl $PARLEY_URL/v1/whoami -H "Authorization: Bearer $PARLEY_API_KEY"`,
  },
  {
    name: 'Command line',
    where: 'In a terminal',
    code: `${command} login --base-url ${base_url}\n${command} emails send --to ${example_address} --subject Hello --recipient-consent`,
  },
  {
    name: 'TypeScript',
    where: 'In a program',
    code: `import { createParley } from '@parley/sdk';\n\nconst parley = createParley({ base_url: '${base_url}', api_key: process.env.PARLEY_API_KEY });\nawait parley.identity.whoami();`,
  },
];

const Blocks = ({ of }: { of: typeof clients }) => (
  <div className="grid">
    {of.map(({ name, where, code }) => (
      <Card key={name} title={name} actions={<span className="small muted">{where}</span>}>
        <CodeBlock code={code} label={`the configuration for ${name}`} />
      </Card>
    ))}
  </div>
);

export function ConnectPage() {
  const { part = 'agents' } = useFilters();
  const navigate = useNavigate();
  return (
    <Page
      title="Connect"
      about="Let an agent use calls, texts and mail as tools, or call the API from a program."
    >
      <Tabs
        value={part}
        onChange={(value) =>
          void navigate({ to: '/connect', search: { part: value ?? 'agents' } as never, replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label="Section" mb="md">
          <Tabs.Tab value="agents">Agent clients</Tabs.Tab>
          <Tabs.Tab value="programs">Programs</Tabs.Tab>
          <Tabs.Tab value="tools">Tools</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="agents">
          <div className="stack">
            <Card title="The MCP server">
              <CopyText text={mcp_url} label="the address of the MCP server" />
              <p className="muted" style={{ margin: '0.4rem 0 0' }}>
                {access[mcp_auth]}
              </p>
            </Card>
            <Blocks of={clients} />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="programs">
          <div className="stack">
            <Blocks of={programs} />
            <p style={{ margin: 0 }}>
              Every operation is in the <a href="/docs">reference</a>, for programs in{' '}
              <a href="/openapi.json">openapi.json</a>, for language models in{' '}
              <a href="/llms.txt">llms.txt</a>.
            </p>
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="tools">
          <Tools />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
