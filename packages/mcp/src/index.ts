// The MCP server: the operations of the API as tools for agents, over HTTP or over standard input and output.
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError } from '@parley/sdk';
import { type Api, makeApi } from './api.ts';
import { type ClientHeaders, forwardedFor } from './authentication.ts';
import type { McpHandler } from './http.ts';
import { internal_error, sendProblem, sendUnparsable } from './json-response.ts';
import type { Mode } from './mode.ts';
import { repeatGuard } from './repeat-guard.ts';
import { toolRunner } from './run-tool.ts';
import { tokenCheck } from './token-check.ts';
import { chooseTools } from './tool-set.ts';
import type { TraceTool } from './trace.ts';

export { chooseMode, type Mode, ModeError } from './mode.ts';
export { UnknownToolset } from './tool-set.ts';
export type { TraceHeaders, TraceTool } from './trace.ts';

export type McpOptions = {
  /** The URL of the API, the only server that credentials are sent to. */
  api_url: string;
  /** The address of the console for people. Default: `api_url`. */
  console_url?: string | undefined;
  toolsets: readonly string[];
  read_only: boolean;
  /**
   * Simple requests bypass the protocol library, and requests to the API bypass `fetch`. Default: true. Results are the
   * same without it, only slower: switch it off to find out whether it causes a problem.
   */
  fast_path?: boolean;
};

/** `close` waits for open requests; when `cut` aborts, their connections are closed. */
export type RunningMcp = { url: string; close(cut?: AbortSignal): Promise<void> };

type HttpOptions = McpOptions & {
  mode: Mode;
  host: string;
  port: number;
  /** The URL that callers use; null: built from host and port. */
  public_url: string | null;
  onError(error: Error): void;
  /** Called with the server before it listens. */
  onServer?(server: Server): void;
  /** How the API learns which client sent a credential. Default: X-Forwarded-For. */
  clientHeaders?: ClientHeaders;
  /** Left out: the trace of a client is passed on to the API as it is. */
  trace?: TraceTool | undefined;
};

export async function startMcp(options: HttpOptions): Promise<RunningMcp> {
  const { mode, host } = options;
  const tools = chooseTools(options);
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 });
  server.on('clientError', sendUnparsable);
  options.onServer?.(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = new URL(options.public_url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`);

  const uses_fast_path = options.fast_path ?? true;
  const api = makeApi({ base_url: options.api_url, uses_pool: uses_fast_path });
  const check = tokenCheck({ api, resource: url.href });
  const checked_api = withTokenEviction(api, check.evict);
  const runTool = toolRunner({ api: checked_api, repeats: repeatGuard(), trace: options.trace });
  const credentialOf = (token: string | undefined) => (mode.kind === 'static' ? mode.key : (token ?? ''));
  // The protocol library is large, so it is loaded with the first request.
  let loading: Promise<McpHandler> | undefined;
  const load = async (): Promise<McpHandler> => {
    const [{ mcpHandler }, { protocolServer }, { fastPath, noFastPath }] = await Promise.all([
      import('./http.ts'),
      import('./protocol.ts'),
      import('./fast-path.ts'),
    ]);
    return mcpHandler({
      mode,
      url,
      port,
      check,
      clientHeaders: options.clientHeaders ?? forwardedFor,
      fastPath: uses_fast_path ? fastPath({ tools, runTool }) : noFastPath,
      factory: protocolServer({ tools, runTool, credentialOf, console_url: consoleUrl(options) }),
      onError: options.onError,
    });
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
        sendProblem(response, internal_error);
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
        // A connection without any request would delay the shutdown.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, 50);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(sweep);
    },
  };
}

const consoleUrl = ({ console_url, api_url }: McpOptions) => console_url ?? api_url;

/** Removes a token from the cache of valid tokens when the API rejects it during a tool call. */
const withTokenEviction = (api: Api, evict: (token: string) => void): Api => ({
  call: (credential, ...rest) =>
    api.call(credential, ...rest).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) evict(credential);
      throw error;
    }),
});

/** For clients on this machine that start the program themselves; ends when the client closes standard input. */
export async function serveMcpOverStdio(
  options: McpOptions & { key: string; onError(error: Error): void },
): Promise<void> {
  const [{ serveStdio }, { protocolServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('./protocol.ts'),
  ]);
  const tools = chooseTools(options);
  const api = makeApi({ base_url: options.api_url, uses_pool: options.fast_path ?? true });
  const runTool = toolRunner({ api, repeats: repeatGuard() });
  const console_url = consoleUrl(options);
  serveStdio(protocolServer({ tools, runTool, credentialOf: () => options.key, console_url }), {
    onerror: options.onError,
  });
}
