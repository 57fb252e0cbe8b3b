// Peer of our MCP server: the documented server of the protocol library with a session per client and one tool that
// calls the same API.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answerQuestions } from '../side-process.ts';

export type McpSessions = { api_url: string; key: string };

answerQuestions<McpSessions, { url: string }>(async ({ api_url, key }) => {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

  async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer({ name: 'peer', version: '1' });
    server.registerTool(
      'whoami',
      { inputSchema: z.object({}), outputSchema: z.object({ auth_kind: z.string() }).loose() },
      async () => {
        const answer = await fetch(`${api_url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } });
        const body = (await answer.json()) as { auth_kind: string };
        return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body };
      },
    );
    await server.connect(transport);
    return transport;
  }

  const server = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    await (known ?? (await openSession())).handleRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
