// Default tools that direct a call in progress.
import type { ToolEntry } from './tool-entry.ts';

export const callControlTools = {
  call_say: {
    operation: 'calls.say',
    title: 'Say something on a call',
    description:
      'Let the agent say exactly this on a call in progress. Use it for news that the person must hear. Returns command_id and outcome.',
  },
  call_instruct: {
    operation: 'calls.instruct',
    title: 'Guide the agent on a call',
    description:
      'Give the agent a note during a call; it is not spoken. Use it to change what the agent knows or does. Returns command_id and outcome.',
  },
  call_transfer: {
    operation: 'calls.transfer',
    title: 'Transfer a call',
    description:
      'Connect the person on a call with a colleague, named by a destination of the agent. Use it when they ask for a human. Calls a real phone. Returns command_id and outcome; get_call shows transfer.',
    without: ['to', 'recipient_consent', 'mode', 'brief'],
  },
} as const satisfies Readonly<Record<string, ToolEntry>>;
