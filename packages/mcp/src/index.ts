// The tool server: the API's operations as tools for agents, over HTTP or over standard input and output.
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError } from '@parley/sdk';
import { type Api, makeApi } from './api.ts';
import type { McpHandler } from './http.ts';
import type { Mode } from './mode.ts';
import { repeatGuard } from './repeat-guard.ts';
import { toolRunner } from './run-tool.ts';
import { tokenCheck } from './token-check.ts';
import { chooseTools } from './tool-set.ts';

export { chooseMode, type Mode, ModeError } from './mode.ts';
export { UnknownToolset } from './tool-set.ts';

export type McpOptions = {
  /** Where the API is: the only place a credential is ever sent to. */
  api_url: string;
  toolsets: readonly string[];
  read_only: boolean;
};

/** `close` waits for the requests under way; after the cut they lose their connection. */
export type RunningMcp = { url: string; close(cut?: AbortSignal): Promise<void> };

/** `public_url` says how callers reach it; from host and port when null. */
export async function startMcp(
  options: McpOptions & {
    mode: Mode;
    host: string;
    port: number;
    public_url: string | null;
    onError(error: Error): void;
    /** Sees the server before it listens. */
    onServer?(server: Server): void;
  },
): Promise<RunningMcp> {
  const { mode, host } = options;
  const tools = chooseTools(options);
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 });
  options.onServer?.(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = new URL(options.public_url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`);

  const api = makeApi({ base_url: options.api_url });
  const check = tokenCheck({ api, resource: url.href });
  const runTool = toolRunner({ api: forgetful(api, check.forget), repeats: repeatGuard() });
  const credentialOf = (token: string | undefined) => (mode.kind === 'static' ? mode.key : (token ?? ''));
  // The protocol's library is large; a process that nobody asks for tools does without it.
  let loading: Promise<McpHandler> | undefined;
  const load = async (): Promise<McpHandler> => {
    const [{ mcpHandler }, { protocolServer }] = await Promise.all([
      import('./http.ts'),
      import('./protocol.ts'),
    ]);
    const factory = protocolServer({ tools, runTool, credentialOf });
    return mcpHandler({ mode, url, port, tools, runTool, check, factory, onError: options.onError });
  };
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => {
    loading ??= load();
    loading.then(
      (handler) => handler.listener(request, response),
      (error: Error) => {
        options.onError(error);
        response.writeHead(500).end();
      },
    );
  });
  return {
    url: url.href,
    async close(cut) {
      await (await loading?.catch(() => null))?.close();
      const sweep = setInterval(() => {
        if (cut?.aborted) server.closeAllConnections();
        server.closeIdleConnections();
        // Opened in advance and never used: a stop must not wait for its first request.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, 50);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(sweep);
    },
  };
}

/** A token that the API refuses in the middle is not taken for good any longer. */
const forgetful = (api: Api, forget: (token: string) => void): Api => ({
  call: (credential, ...rest) =>
    api.call(credential, ...rest).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) forget(credential);
      throw error;
    }),
});

/** For clients on this machine that start the program themselves; ends when they close its input. */
export async function serveMcpOverStdio(
  options: McpOptions & { key: string; onError(error: Error): void },
): Promise<void> {
  const [{ serveStdio }, { protocolServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('./protocol.ts'),
  ]);
  const tools = chooseTools(options);
  const runTool = toolRunner({ api: makeApi({ base_url: options.api_url }), repeats: repeatGuard() });
  serveStdio(protocolServer({ tools, runTool, credentialOf: () => options.key }), {
    onerror: options.onError,
  });
}
