// The errors of agents and their tools.
import { defineErrors } from '../error-definition.ts';

export const agentErrors = defineErrors({
  provider_not_configured: {
    status: 422,
    message: 'The organization has not set this provider.',
    when: 'A provider in engines is not set for the organization.',
    fix: 'Set it with PUT /v1/providers/{layer}; it does not need to be the active one.',
  },
  variable_missing: {
    status: 422,
    message: 'A text uses a variable that has no value.',
    when: 'A text contains {{name}}, and neither the agent nor the request has a value for the name.',
    fix: 'Send the value in variables, or write a fallback: {{name|fallback}}.',
  },
  tool_not_found: {
    status: 422,
    message: 'There is no such tool.',
    when: 'An entry of tools names a tool that the organization does not have.',
    fix: 'Use an id from GET /v1/tools.',
  },
  mcp_server_not_found: {
    status: 422,
    message: 'There is no such MCP server.',
    when: 'An entry of tools names an MCP server that the organization does not have.',
    fix: 'Use an id from GET /v1/mcp-servers.',
  },
  tool_name_taken: {
    status: 409,
    message: 'Another tool has this name.',
    when: 'A tool or MCP server of the organization has the same name.',
    fix: 'Choose another name, or change the existing record.',
  },
  too_many_tools: {
    status: 422,
    message: 'The organization has reached its limit of tools or MCP servers.',
    when: 'The organization already has 200 tools or 20 MCP servers.',
    fix: 'Remove those that no agent uses.',
  },
});
