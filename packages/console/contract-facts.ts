// Makes data of the contract available to the console at build time: events with examples, states, tools and commands.
import { readFileSync } from 'node:fs';
import { events, lifecycles } from '@parley/contract';
import { callEndReasons } from '@parley/contract/channels/calls/call-records';
import { smsErrorCodes } from '@parley/contract/channels/sms/sms';
import { limits } from '@parley/contract/limits';
import type { Plugin } from 'vite';

const json = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

type Tool = {
  toolset: string;
  definition: { name: string; title: string; description: string; inputSchema: unknown };
  call: { method: string; path: string; params: string[]; input: string | null };
};
type Command = { noun: string; group: string; verb: string; method_name: string; params: string[] };

/** One module per use, so that a page loads only what it shows. */
const modules: Record<string, () => Record<string, unknown>> = {
  'virtual:contract/states': () => ({
    states: Object.fromEntries(lifecycles.map(({ subject, states }) => [subject, states])),
    end_reasons: callEndReasons,
    sms_body_chars: limits.sms_body_chars,
  }),
  'virtual:contract/reasons': () => ({ sms_errors: smsErrorCodes }),
  'virtual:contract/events': () => ({
    events: Object.entries(events).map(([type, { meaning, example }]) => ({ type, meaning, example })),
  }),
  'virtual:contract/tools': () => ({
    tools: (json('../mcp/mcp-tools.json') as Tool[]).map(({ toolset, definition, call }) => ({
      toolset,
      name: definition.name,
      title: definition.title,
      description: definition.description,
      input_schema: definition.inputSchema,
      call: { method: call.method, path: call.path, params: call.params, input: call.input },
    })),
  }),
  'virtual:contract/commands': () => ({
    commands: Object.fromEntries(
      (json('../cli/src/commands.json') as Command[]).map(({ group, method_name, noun, verb }) => [
        `${group}.${method_name}`,
        `${noun} ${verb}`,
      ]),
    ),
  }),
};

export const contractFacts = (): Plugin => ({
  name: 'parley-contract-facts',
  resolveId: (id) => (id in modules ? `\0${id}` : null),
  load(id) {
    const make = modules[id.slice(1)];
    if (!id.startsWith('\0') || !make) return null;
    return Object.entries(make())
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
      .join('\n');
  },
});
