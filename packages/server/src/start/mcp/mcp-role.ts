// Starts the MCP server beside the API or alone. It calls the API over HTTP like any other client.
import type { Mode, RunningMcp, TraceTool } from '@parley/mcp';
import type { Config } from '../../config/config.ts';
import { processStatus, type Status } from '../../features/operations/status/index.ts';
import { namedClient } from '../../platform/http/named-client.ts';
import { endStalledConnections } from '../../platform/http/stalled-connections.ts';
import type { Log } from '../../platform/log.ts';
import { makeMetrics } from '../../platform/metrics.ts';
import { StartError } from '../../platform/start-error.ts';
import type { Tracing } from '../../platform/tracing/trace.ts';
import { joinTraceHeaders, traceHeaders } from '../../protocols/trace-context.ts';
import { clientAddress } from './mcp-client-address.ts';

const api_timeout_ms = 3000;

/** Status of a process that has only the MCP role: it is ready when the API responds, because every tool needs it. */
export const mcpStatus = (options: { api_url: string; stopping: AbortSignal }): Status =>
  processStatus({
    metrics: makeMetrics(),
    draining: options.stopping,
    readiness: [
      {
        name: 'api',
        async check() {
          const signal = AbortSignal.timeout(api_timeout_ms);
          const response = await fetch(`${options.api_url}/healthz`, { signal }).catch((error: Error) => {
            // The message of fetch is always "fetch failed"; the cause says more.
            throw error.cause instanceof Error ? error.cause : error;
          });
          await response.body?.cancel();
          if (response.status !== 200) throw new Error(`status ${response.status}`);
        },
      },
    ],
  });

/** A span for every tool call. Its trace is that of the client, else a new one; the request to the API continues it. */
const traceTools =
  (tracing: Tracing): TraceTool =>
  (tool, incoming, work) => {
    const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool };
    const parent = joinTraceHeaders(incoming);
    return tracing.span(`tools/call ${tool}`, { kind: 'server', parent, attributes }, async (span) => {
      const result = await work(span.traceparent ? traceHeaders(span.traceparent) : {});
      if (result.isError) span.fail('tool_error');
      return result;
    });
  };

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * `beside` is the API of the same process. Without settings for the MCP server, that API is the token issuer if it has
 * accounts; else clients send the shared key, also on loopback, where other users and web pages can connect, too.
 */
export async function startMcpRole(options: {
  config: Config;
  log: Log;
  tracing: Tracing | null;
  beside: { url: string; shared_key: string | null; issuer: string | null } | null;
}): Promise<RunningMcp> {
  const { config, log, beside, tracing } = options;
  // Loaded only in this role: the protocol's library is large.
  const { chooseMode, ModeError, startMcp, UnknownToolset } = await import('@parley/mcp');
  const configured = config.PARLEY_MCP_AUTHORIZATION_SERVERS;
  const is_configured = config.PARLEY_MCP_KEY !== null || configured.length > 0;
  const servers = !is_configured && beside?.issuer ? [beside.issuer] : configured;
  const asks_for_key = !is_configured && servers.length === 0 && beside?.shared_key != null;
  const api_url = beside?.url ?? config.PARLEY_BASE_URL;
  if (!api_url) throw new StartError('The role mcp alone needs PARLEY_BASE_URL: the address of the API.');
  const addressOf = clientAddress(config.PARLEY_TRUSTED_PROXIES);
  try {
    const mode: Mode = asks_for_key
      ? { kind: 'key' }
      : chooseMode({ key: config.PARLEY_MCP_KEY, authorization_servers: servers });
    if (mode.kind === 'static' && !loopback.has(config.MCP_HOST))
      log.warn({ host: config.MCP_HOST }, 'MCP server without authentication listens on a public address');
    return await startMcp({
      api_url,
      console_url: config.PARLEY_BASE_URL ?? api_url,
      mode,
      host: config.MCP_HOST,
      port: config.MCP_PORT,
      public_url: config.PARLEY_MCP_URL,
      toolsets: config.PARLEY_MCP_TOOLSETS,
      read_only: config.PARLEY_MCP_READ_ONLY === 'on',
      fast_path: config.PARLEY_MCP_FAST_PATH === 'on',
      // Another process trusts the standard header only if its settings name this one as a proxy.
      ...(beside && { clientHeaders: (request) => namedClient(addressOf(request)) }),
      trace: tracing ? traceTools(tracing) : undefined,
      onError: (error) => log.error({ err: error }, 'MCP request failed'),
      onServer: (server) =>
        endStalledConnections(server, { stall_ms: config.PARLEY_CLIENT_STALL_SECONDS * 1000 }),
    });
  } catch (error) {
    if (error instanceof ModeError || error instanceof UnknownToolset) throw new StartError(error.message);
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE')
      throw new StartError(
        `Port ${config.MCP_PORT} on ${config.MCP_HOST} is in use by another program. Stop it, set MCP_PORT to a free one, or leave mcp out of PARLEY_ROLES.`,
      );
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new StartError(
        `The MCP server cannot listen on ${config.MCP_HOST} port ${config.MCP_PORT} (${code}). Set MCP_HOST and MCP_PORT to an address of this machine.`,
      );
    throw error;
  }
}
