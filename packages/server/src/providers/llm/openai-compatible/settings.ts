// Where a compatible model answers, and how it differs from others.

export type OpenAiCompatibleSettings = {
  /** Including the version: https://api.openai.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
  /** Default: authorization. */
  auth_header?: AuthHeader;
  /** Whether the endpoint enforces `response_format: json_schema`. Default: true. */
  structured_output?: boolean;
  /** Whether to ask for the number of tokens with `stream_options`. Default: true. */
  include_usage?: boolean;
  /** The name of the field that limits the reply. Default: max_tokens. */
  max_tokens_field?: 'max_tokens' | 'max_completion_tokens';
};

export type AuthHeader = 'authorization' | 'api-key';
