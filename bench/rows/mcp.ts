// The cost of a tool call through the MCP server.
import { costing, type Row, type Run, type Side } from '../harness.ts';
import type { McpServerOptions } from '../limits/mcp-server.ts';
import type { McpSessions } from '../limits/mcp-sessions.ts';

const connections = 32;
const headers = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};
const call = JSON.stringify({
  jsonrpc: '2.0',
  // A session accepts each request id once, so every call has a new one.
  id: '{number}',
  method: 'tools/call',
  params: { name: 'whoami', arguments: {} },
});
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
});

const side =
  (run: Run, url: string, pid: number, session: string | null): Side =>
  () =>
    costing([pid], async () => {
      const { requests, seconds } = await run.load({
        url,
        connections,
        duration_ms: run.window_ms,
        max_requests: 1_000_000,
        method: 'POST',
        paths: ['/mcp'],
        headers: { ...headers, ...(session ? { 'mcp-session-id': session } : {}) },
        body: call,
        first_number: 0,
        status: 200,
      });
      return { operations: requests, value: requests / seconds };
    });

async function answers(url: string, session: string | null): Promise<void> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(session ? { 'mcp-session-id': session } : {}),
    },
    body: call,
  });
  const text = await answer.text();
  if (answer.status !== 200 || !text.includes('shared_key'))
    throw new Error(`${url} returned ${answer.status}: ${text}`);
}

async function openSession(url: string): Promise<string> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { accept: headers.accept, 'content-type': 'application/json' },
    body: initialize,
  });
  await answer.text();
  const session = answer.headers.get('mcp-session-id');
  if (!session) throw new Error('the peer opened no session');
  return session;
}

export const mcpRows: Row[] = [
  {
    name: 'mcp-call',
    subject: `tools/call over ${connections} connections`,
    limit: 'the protocol library’s server with sessions, same tool, same API',
    unit: 'calls/s',
    target: { comparison: '>=', ratio: 2.5 },
    async prepare(run) {
      const api = run.stage.startSide<null, { url: string }>(
        new URL('../limits/fixed-api.ts', import.meta.url),
      );
      const { url: api_url } = await api.ask(null);
      const ours = run.stage.startSide<McpServerOptions, { url: string }>(
        new URL('../limits/mcp-server.ts', import.meta.url),
      );
      const theirs = run.stage.startSide<McpSessions, { url: string }>(
        new URL('../limits/mcp-sessions.ts', import.meta.url),
      );
      const { url } = await ours.ask({ api_url, key: 'k' });
      const { url: peer_url } = await theirs.ask({ api_url, key: 'k' });
      const session = await openSession(peer_url);
      await answers(url, null);
      await answers(peer_url, session);
      return { limit: side(run, peer_url, theirs.pid, session), subject: side(run, url, ours.pid, null) };
    },
  },
];
