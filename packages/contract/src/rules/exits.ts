// Exits: operations that let data leave by another way than a message or a call, and the channel of the approval policy of each.

export const exitChannels = ['webhooks', 'tools', 'mcp_servers', 'providers'] as const;
export type ExitChannel = (typeof exitChannels)[number];

/** `fields`: paths in the body of which at least one must be there; left out: every request. */
export type Exit = { channel: ExitChannel; fields?: readonly string[] };

const own_engines = ['engines.relay.url'];

/** By operation. Who sends, and forwards of mail, have channels of their own. */
export const exits: Readonly<Record<string, Exit>> = {
  'webhooks.create': { channel: 'webhooks' },
  'webhooks.update': { channel: 'webhooks', fields: ['target_url', 'event_types'] },
  'tools.create': { channel: 'tools' },
  'tools.update': { channel: 'tools' },
  'tools.test': { channel: 'tools' },
  'mcp_servers.create': { channel: 'mcp_servers' },
  'mcp_servers.update': { channel: 'mcp_servers' },
  'providers.set': { channel: 'providers' },
  'providers.activate': { channel: 'providers' },
  'providers.test': { channel: 'providers' },
  'agents.create': { channel: 'providers', fields: own_engines },
  'agents.update': { channel: 'providers', fields: own_engines },
  'calls.create': { channel: 'providers', fields: ['llm.base_url', ...own_engines] },
};

const valueAt = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], body);

/** The exit that a request opens or changes; null when it is none. */
export function exitOf(operation: string, body: unknown): Exit | null {
  const exit = exits[operation];
  if (!exit) return null;
  const { fields } = exit;
  return fields === undefined || fields.some((path) => valueAt(body, path) != null) ? exit : null;
}
