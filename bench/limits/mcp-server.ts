// Our MCP server as a separate process, so that its cost is measured without the API.
import { startMcp } from '../../packages/mcp/src/index.ts';
import { answerQuestions } from '../side-process.ts';

export type McpServerOptions = { api_url: string; key: string };

answerQuestions<McpServerOptions, { url: string }>(async ({ api_url, key }) => {
  const mcp = await startMcp({
    api_url,
    mode: { kind: 'static', key },
    host: '127.0.0.1',
    port: 0,
    public_url: null,
    toolsets: ['default'],
    read_only: false,
    onError: (error) => console.error(error),
  });
  return { url: new URL(mcp.url).origin };
});
