// Settings and key check of an endpoint with the chat completions protocol.
import { z } from 'zod';
import { defineVendor } from '../../vendor-manifest.ts';
import { openAiCompatibleLlm } from './index.ts';

export const manifest = defineVendor({
  layer: 'llm',
  provider: 'openai-compatible',
  meaning: 'Any endpoint with POST /chat/completions: OpenAI, Azure, vLLM, Ollama, OpenRouter and many more.',
  api_key: 'optional',
  params: z.strictObject({
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .default('https://api.openai.com/v1'),
    model: z.string().min(1).max(200).default('gpt-4o-mini'),
  }),
  probe: { path: '/models', headers: (api_key) => ({ authorization: `Bearer ${api_key}` }) },
  open: ({ agent }, { api_key, params }) => openAiCompatibleLlm({ agent, settings: { api_key, ...params } }),
});
