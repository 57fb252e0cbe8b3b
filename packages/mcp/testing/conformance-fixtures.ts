// The tools and resources that the MCP conformance suite needs. Loaded by tests only.
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type McpServerFactory,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { pause } from '../../server/testing/wait-for.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const states = createRequestStateCodec({ key: 'a key that only this test server ever uses' });

type Responses = Record<string, { action?: string; content?: object; roots?: unknown[]; model?: string }>;
type Tool = (context: ServerContext, responses: Responses) => Promise<object> | object;

const text = (words: string) => ({ type: 'text', text: words });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});
const said = (words: string) => ({ content: [text(words)] });

const form = (message: string, field: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: type === 'string' ? { type: 'string' } : { type: 'boolean' } },
      required: [field],
    },
  });
const sample = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens: 100,
  });
const roots = () => inputRequired.listRoots();

const capabilitiesOf = (context: ServerContext) =>
  ((context.mcpReq.envelope as Record<string, Record<string, unknown>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ] ?? {}) as { sampling?: object; elicitation?: object };

const isAccepted = (response: Responses[string] | undefined): boolean =>
  response?.action === 'accept' && typeof response.content === 'object';

/** Asks for confirmation with signed state; a changed state never reaches the tool. */
const sealed: Tool = async (context, { confirm }) =>
  confirm && context.mcpReq.requestState()
    ? said('state-ok')
    : inputRequired({
        inputRequests: { confirm: form('Please confirm', 'ok', 'boolean') },
        requestState: await states.mint({ round: 1 }, context),
      });

const tools: Record<string, Tool> = {
  test_simple_text: () => said('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    ...said('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await pause(50, 'the suite expects a tool that takes a moment');
    }
    return said('done');
  },
  test_logging_tool: async (context) => {
    await context.mcpReq.log('info', 'working');
    return said('logged');
  },
  test_missing_capability: (context) => {
    if (!capabilitiesOf(context).sampling)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return said('sampling is there');
  },
  test_streaming_elicitation: (_, { answer }) =>
    answer ? said('answered') : inputRequired({ inputRequests: { answer: form('Your name?', 'name') } }),
  test_input_required_result_elicitation: (_, { user_name }) =>
    isAccepted(user_name)
      ? said(`Hello, ${JSON.stringify(user_name)}`)
      : inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } }),
  test_input_required_result_sampling: (_, { capital_question }) =>
    capital_question
      ? said(JSON.stringify(capital_question))
      : inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } }),
  test_input_required_result_list_roots: (_, { client_roots }) =>
    client_roots
      ? said(JSON.stringify(client_roots))
      : inputRequired({ inputRequests: { client_roots: roots() } }),
  test_input_required_result_request_state: sealed,
  test_input_required_result_tampered_state: sealed,
  test_input_required_result_multiple_inputs: async (context, { user_name, greeting, client_roots }) =>
    user_name && greeting && client_roots
      ? said(JSON.stringify({ user_name, greeting, client_roots }))
      : inputRequired({
          inputRequests: {
            user_name: form('What is your name?', 'name'),
            greeting: sample('Generate a greeting'),
            client_roots: roots(),
          },
          requestState: await states.mint({ round: 1 }, context),
        }),
  test_input_required_result_multi_round: async (context, { step1, step2 }) => {
    if (step2) return said('complete');
    const [name, question] = step1
      ? ['step2', form('Step 2: What is your favorite color?', 'color')]
      : ['step1', form('Step 1: What is your name?', 'name')];
    return inputRequired({
      inputRequests: { [name as string]: question as ReturnType<typeof form> },
      requestState: await states.mint({ round: name }, context),
    });
  },
  test_input_required_result_capabilities: (context) => {
    const { sampling, elicitation } = capabilitiesOf(context);
    const inputRequests = {
      ...(sampling ? { sampled: sample('Say something') } : {}),
      ...(elicitation ? { asked: form('Your name?', 'name') } : {}),
    };
    return Object.keys(inputRequests).length > 0
      ? inputRequired({ inputRequests })
      : said('nothing to ask with');
  },
};

const user = (content: object) => ({ role: 'user', content });
const prompts: Record<string, (given: Record<string, string>, responses: Responses) => object> = {
  test_simple_prompt: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  test_prompt_with_arguments: ({ arg1, arg2 }) => ({
    messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }),
  test_prompt_with_embedded_resource: ({ resourceUri }) => ({
    messages: [
      user(embedded(resourceUri!, 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  }),
  test_prompt_with_image: () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }),
  test_input_required_result_prompt: (_, { user_context }) =>
    user_context
      ? { messages: [user(text(JSON.stringify(user_context)))] }
      : inputRequired({
          inputRequests: { user_context: form('What context should the prompt use?', 'context') },
        }),
};

function resourceAt(uri: string): object {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (!id) throw new ResourceNotFoundError(uri);
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: 'application/json', text: data };
}

export const conformanceServer: McpServerFactory = () => {
  const server = new Server(
    { name: 'conformance', version: '1' },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: states.verify },
    },
  );
  const responsesOf = (context: ServerContext) => (context.mcpReq.inputResponses ?? {}) as Responses;
  const missing = (what: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${what}`);

  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: name,
      inputSchema: { type: 'object' as const },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools[params.name];
    if (!tool) throw missing(params.name);
    return (await tool(context, responsesOf(context))) as never;
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: name })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = prompts[params.name];
    if (!prompt) throw missing(params.name);
    return prompt(params.arguments ?? {}, responsesOf(context)) as never;
  });
  server.setRequestHandler('resources/list', () => ({
    resources: ['static-text', 'static-binary'].map((name) => ({ uri: `test://${name}`, name })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }));
  server.setRequestHandler(
    'resources/read',
    ({ params }) => ({ contents: [resourceAt(params.uri)] }) as never,
  );
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
};
