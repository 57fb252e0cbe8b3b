// The environment variables that our clients read. A server that finds one of them in its environment ignores it.

export const client_variables: Record<string, string> = {
  PARLEY_URL: 'Where clients reach the server. Default: `http://127.0.0.1:8080`.',
  PARLEY_API_KEY: 'The key that the SDK and the command line send.',
  PARLEY_WEBHOOK_SECRET: 'Where the examples keep the signing secret of a webhook subscription.',
  PARLEY_NO_BROWSER: 'Set: `parley login` prints the address instead of opening a browser.',
};
