// Going live: what is still missing before this server can reach real people, and how to set it.
import { z } from 'zod';
import { defineOperations } from '../operation.ts';

export const goLiveChecks = [
  'base_url',
  'callbacks',
  'carrier',
  'number',
  'llm',
  'mail_transport',
  'dns',
  'submission',
  'webhooks',
  'database',
  'master_key',
] as const;

export const GoLiveItem = z
  .strictObject({
    check: z.enum(goLiveChecks),
    status: z
      .enum(['ok', 'missing', 'warning'])
      .describe(
        'missing: the channels in needed_for do not work without it. warning: they work, but something should be changed.',
      ),
    needed_for: z.array(z.enum(['calls', 'emails', 'sms'])).describe('The channels that need it.'),
    managed_by: z
      .enum(['operator', 'organization'])
      .describe('Who can change it: the operator of the server, or every organization for itself.'),
    detail: z.string().describe('What was found.'),
    fix: z.string().nullable().describe('What to do; null when nothing is to be done.'),
    settings: z.array(z.string()).describe('Settings of the server that the fix uses.'),
    command: z.string().nullable().describe('A command that does it; null when a setting does it.'),
    guide: z.string().nullable().describe('The guide that explains it, below /guides/.'),
  })
  .meta({ id: 'GoLiveItem' });
export type GoLiveItem = z.infer<typeof GoLiveItem>;

export const GoLive = z
  .strictObject({
    ready: z.boolean().describe('true when no item is missing.'),
    items: z.array(GoLiveItem),
  })
  .meta({ id: 'GoLive' });
export type GoLive = z.infer<typeof GoLive>;

const example: GoLiveItem = {
  check: 'llm',
  status: 'missing',
  needed_for: ['calls'],
  managed_by: 'organization',
  detail: 'No LLM provider is set. Calls over a real carrier are refused with llm_not_configured.',
  fix: 'Set an LLM provider with your own key.',
  settings: [],
  command: 'parley providers set llm --provider openai-compatible --api-key …',
  guide: 'calls',
};

export const goLive = defineOperations(
  'go_live',
  'What is missing before the server can reach real people.',
  {
    get: {
      method: 'GET',
      path: '/v1/go-live',
      summary: 'Get what is missing to go live',
      description:
        'Checks the settings of the server and the records of your organization: carrier, numbers, LLM, mail transport, DNS, public address and callbacks. Only superadmins see details of the settings that the operator manages.',
      success: { status: 200, body: GoLive, example: { ready: false, items: [example] } },
    },
  },
);
