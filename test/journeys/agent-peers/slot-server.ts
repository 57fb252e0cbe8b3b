// The calendar of the practice: an MCP server with one tool that agents may use and one that they may not.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { listen, report } from './server.ts';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'calendar', version: '1.0.0' });
  server.registerTool(
    'free_slots',
    { description: 'Free slots on a day.', inputSchema: z.object({ day: z.string() }) },
    async ({ day }) => {
      report({ tool: 'free_slots', day });
      return { content: [{ type: 'text', text: 'Free: ten, noon' }] };
    },
  );
  server.registerTool(
    'delete_all',
    { description: 'Deletes the calendar.', inputSchema: z.object({}) },
    async () => {
      report({ tool: 'delete_all' });
      return { content: [] };
    },
  );
  return server;
});
const serve = toNodeHandler(handler) as (request: IncomingMessage, response: ServerResponse) => Promise<void>;

await listen((request, response) => {
  if (request.headers.authorization !== 'Bearer calendar-key') return void response.writeHead(401).end();
  void serve(request, response);
});
