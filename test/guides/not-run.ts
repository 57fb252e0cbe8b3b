// Blocks of the guides that the test does not run, each with the reason. What they name is still checked.

const start = 'test/journeys/npm-start.test.ts runs this command';
const publication = 'needs packages that are not published; test/packages installs them from files';
const receiver = 'test/guides/webhooks.test.ts runs the receivers with real deliveries and certifies them';
const backup =
  'test/journeys/backup.test.ts and packages/server/src/start/restore.slow.test.ts run these commands';

export const not_run: { guide: string; first_line: string; reason: string }[] = [
  { guide: 'README', first_line: 'npm ci && npm start', reason: start },
  { guide: 'README', first_line: 'npm ci && npm test', reason: 'runs this test and all others' },
  { guide: 'quick-start', first_line: 'npm ci && npm start', reason: start },
  { guide: 'install', first_line: 'npm ci && npm start', reason: start },
  { guide: 'install', first_line: 'npm install -g @parley/cli @parley/server', reason: publication },
  { guide: 'install', first_line: 'npm install --omit=optional @parley/server', reason: publication },
  {
    guide: 'backup',
    first_line: 'parley-server backup /backups/2026-11-17        # a new folder',
    reason: backup,
  },
  {
    guide: 'upgrades',
    first_line:
      'parley-server backup <data folder>/postgres-17-backup            # with the release that you ran before',
    reason: 'needs two releases with different versions of PostgreSQL',
  },
  {
    guide: 'managed-mode',
    first_line: 'PARLEY_MANAGED=on npm start',
    reason: 'test/journeys/managed-start.test.ts starts it',
  },
  {
    guide: 'mcp',
    first_line:
      'PARLEY_ROLES=mcp PARLEY_BASE_URL=https://api.example.com PARLEY_MCP_URL=https://mcp.example.com/mcp \\',
    reason: 'needs public addresses; test/journeys/mcp-and-listen.test.ts starts the role alone',
  },
  {
    guide: 'mcp',
    first_line:
      'npx @modelcontextprotocol/inspector@2.12.0 --cli http://127.0.0.1:8081/mcp --transport http \\',
    reason: 'the inspector is not a dependency of the project',
  },
  {
    guide: 'production',
    first_line: 'docker run -p 8080:8080 -v parley:/data --read-only --tmpfs /tmp --stop-timeout 30 parley',
    reason: 'needs Docker; deploy/check builds and boots the image',
  },
  {
    guide: 'production',
    first_line:
      'helm install parley deploy/helm --set image.repository=registry.example.com/parley --set existingSecret=parley \\',
    reason: 'needs a cluster; test/deploy/files.test.ts renders the chart',
  },
  { guide: 'python', first_line: 'pip install ./clients/python', reason: 'test/python installs the wheel' },
  {
    guide: 'releases',
    first_line: 'npm run change -- fixed "Calls to a busy number end at once."',
    reason: 'writes files into the checkout; test/guards/changes.test.ts runs the script in a folder',
  },
  {
    guide: 'tools-on-calls',
    first_line:
      'curl -s $PARLEY_URL/v1/calls/$CALL_ID/tool-results -H "Authorization: Bearer $PARLEY_API_KEY" -H \'Content-Type: application/json\' \\',
    reason:
      'needs a model that calls the tool; features/agents/runtime/tool-calls.slow.test.ts answers such calls',
  },
  {
    guide: 'tracing',
    first_line: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 npm start',
    reason: 'packages/server/src/start/start-traces.slow.test.ts starts it with a collector',
  },
  {
    guide: 'webhooks',
    first_line: "import { createHmac, timingSafeEqual } from 'node:crypto';",
    reason: receiver,
  },
  { guide: 'webhooks', first_line: 'import hashlib, hmac, json, os, time', reason: receiver },
  {
    guide: 'webhooks',
    first_line:
      'parley webhooks certify --local http://localhost:3000/hooks --secret "$WEBHOOK_SECRET" --min 90',
    reason: receiver,
  },
];
