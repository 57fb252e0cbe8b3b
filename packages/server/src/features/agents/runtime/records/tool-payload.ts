// What a person approves: the tool as it is now, and the arguments of the call.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../../../protocols/canonical-json.ts';
import type { Payload } from '../../../rules/admission/index.ts';
import type { AgentTool } from '../agent-tool.ts';

/** Another address or schema makes another tool, for which an approval is not valid. */
export const toolHash = ({ name, kind, parameters, identity = '' }: AgentTool): string =>
  hash('sha256', canonicalJson({ name, kind, parameters, identity }));

export type AskedCall = {
  name: string;
  kind: string;
  /** Without the values that must not be stored; the hash covers them. */
  arguments: Record<string, unknown>;
  arguments_hash: string;
  tool_sha256: string | null;
  conversation_id: string;
  call_id: string | null;
};

export const payloadOf = (call: AskedCall): Payload => ({
  from: null,
  to: [],
  cc: [],
  bcc: [],
  subject: `Use the tool ${call.name}`,
  body_text: JSON.stringify(call.arguments, null, 2),
  body_html: null,
  attachments: [],
  more: {
    tool: call.name,
    kind: call.kind,
    tool_sha256: call.tool_sha256,
    arguments_sha256: call.arguments_hash,
    conversation_id: call.conversation_id,
    ...(call.call_id === null ? {} : { call_id: call.call_id }),
  },
  scheduled_at: null,
});
