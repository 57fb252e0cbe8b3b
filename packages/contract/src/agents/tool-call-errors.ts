// The errors of tool calls.
import { defineErrors } from '../error-definition.ts';

export const toolCallErrors = defineErrors({
  tool_call_already_settled: {
    status: 409,
    message: 'The tool call already has an outcome.',
    when: 'Another answer came first, or the time for the answer is over.',
    fix: 'Read the outcome with GET /v1/tool-calls. Answer before expires_at of the event that asked for it.',
  },
});
