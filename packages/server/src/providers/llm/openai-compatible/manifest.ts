// Settings and key check of endpoints with the chat completions protocol: any address, and presets for known vendors.
import { z } from 'zod';
import { defineVendor } from '../../vendor-manifest.ts';
import { authorization, openAiCompatibleLlm } from './index.ts';

type Preset = {
  provider: string;
  meaning: string;
  base_url: string;
  model: string;
  /** Whether the default model keeps to a JSON Schema. */
  structured_output: boolean;
};

const vendorAt = (preset: Preset, api_key: 'required' | 'optional') => {
  const { provider, meaning, base_url, model, structured_output } = preset;
  return defineVendor({
    layer: 'llm',
    provider,
    meaning,
    api_key,
    params: z.strictObject({
      base_url: z
        .url({ protocol: /^https?$/ })
        .max(2048)
        .default(base_url),
      model: z.string().min(1).max(200).default(model),
      // Azure OpenAI expects the key in the header `api-key`.
      auth_header: z.enum(['authorization', 'api-key']).default('authorization'),
      structured_output: z.boolean().default(structured_output),
      include_usage: z.boolean().default(true),
      max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    }),
    probe: { path: '/models', headers: (key, { auth_header } = {}) => authorization(key, auth_header) },
    open: ({ agent }, { api_key, params }) =>
      openAiCompatibleLlm({ agent, name: provider, settings: { api_key, ...params } }),
  });
};

export const manifest = vendorAt(
  {
    provider: 'openai-compatible',
    meaning:
      'Any endpoint with POST /chat/completions: OpenAI, Azure, vLLM, Ollama, OpenRouter and many more.',
    base_url: 'https://api.openai.com/v1',
    model: 'gpt-4o-mini',
    structured_output: true,
  },
  'optional',
);

export const presets = [
  vendorAt(
    {
      provider: 'groq',
      meaning: 'The models of Groq.',
      base_url: 'https://api.groq.com/openai/v1',
      model: 'llama-3.3-70b-versatile',
      structured_output: false,
    },
    'required',
  ),
  vendorAt(
    {
      provider: 'together',
      meaning: 'The models of Together AI.',
      base_url: 'https://api.together.xyz/v1',
      model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      structured_output: true,
    },
    'required',
  ),
  vendorAt(
    {
      provider: 'gemini',
      meaning: 'The models of Google Gemini, over their endpoint for chat completions.',
      base_url: 'https://generativelanguage.googleapis.com/v1beta/openai',
      model: 'gemini-2.5-flash',
      structured_output: true,
    },
    'required',
  ),
] as const;
