// The environment variables that our clients read. The server ignores them.

export const client_variables: Record<string, string> = {
  PARLEY_URL: 'The URL of the server. Default: `http://127.0.0.1:8080`.',
  PARLEY_API_KEY: 'The API key that the SDK and the command line send.',
  PARLEY_WEBHOOK_SECRET:
    'The signing secret of a webhook subscription, used by the examples and by `parley webhooks certify`.',
  PARLEY_NO_BROWSER: 'When set, `parley login` prints the URL instead of opening a browser.',
};
