// The command: npm run bench -- [row names] [--quick | --full].
import { fileURLToPath } from 'node:url';
import { fails, openRun, type Row, type RowResult, type Scale } from './harness.ts';
import { describeMachine, machineLine, table, writeResults } from './report.ts';
import { bridgedCallRows } from './rows/bridged-calls.ts';
import { callControlRows } from './rows/call-control.ts';
import { callRows } from './rows/calls.ts';
import { consoleRows } from './rows/console.ts';
import { contactRows } from './rows/contacts.ts';
import { conversationRows } from './rows/conversations.ts';
import { credentialRows } from './rows/credentials.ts';
import { emailRows } from './rows/emails.ts';
import { explainRows } from './rows/explain.ts';
import { hostileMailRows } from './rows/hostile-mail.ts';
import { httpRows } from './rows/http.ts';
import { inboundMailRows } from './rows/inbound-mail.ts';
import { installRows } from './rows/install.ts';
import { listRows } from './rows/lists.ts';
import { livekit_skipped, livekitRows } from './rows/livekit.ts';
import { mcpRows } from './rows/mcp.ts';
import { mediaSocketRows } from './rows/media-sockets.ts';
import { processRows } from './rows/process.ts';
import { projectorRows } from './rows/projector.ts';
import { requestLogRow } from './rows/request-log.ts';
import { rtpRows } from './rows/rtp.ts';
import { searchRows } from './rows/search.ts';
import { sendingRulesRows } from './rows/sending-rules.ts';
import { postgresVersion } from './rows/service.ts';
import { smsRows } from './rows/sms.ts';
import { smsAnswerRow } from './rows/sms-answer.ts';
import { smtpMailRows } from './rows/smtp-mail.ts';
import { submissionRows } from './rows/submission.ts';
import { voiceRows } from './rows/voice.ts';
import { webhookRows } from './rows/webhooks.ts';

// Lists come last: their tables stay in the database and their services in memory until the end of the run.
const all_rows: Row[] = [
  ...processRows,
  ...installRows,
  ...httpRows,
  ...mcpRows,
  ...credentialRows,
  ...contactRows,
  requestLogRow,
  ...webhookRows,
  ...emailRows,
  ...smtpMailRows,
  ...submissionRows,
  ...inboundMailRows,
  ...hostileMailRows,
  ...smsRows,
  smsAnswerRow,
  ...callRows,
  ...sendingRulesRows,
  ...voiceRows,
  ...bridgedCallRows,
  ...callControlRows,
  ...mediaSocketRows,
  ...rtpRows,
  ...livekitRows,
  ...consoleRows,
  ...listRows,
  ...searchRows,
  ...explainRows,
  ...conversationRows,
  ...projectorRows,
];
const results_file = fileURLToPath(new URL('../data/bench-results.json', import.meta.url));

const args = process.argv.slice(2);
if (livekit_skipped && (args.length === 0 || args.some((arg) => arg.startsWith('livekit'))))
  console.error(livekit_skipped);
const unknown = args.filter(
  (arg) => !['--quick', '--full'].includes(arg) && !all_rows.some(({ name }) => name === arg),
);
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}. Rows: ${all_rows.map(({ name }) => name).join(' ')}`);
  process.exit(2);
}
const scale: Scale = args.includes('--full') ? 'full' : args.includes('--quick') ? 'quick' : 'normal';
const rows = all_rows.filter(({ name }) => args.includes(name));
const chosen = rows.length > 0 ? rows : all_rows;

const run = openRun(scale);
let interrupted = false;
const giveUp = (reason: unknown, code: number) => {
  interrupted = true;
  console.error(`\n${reason}: stopping all processes ...`);
  void run.close().then(() => process.exit(code));
};
process.once('SIGINT', () => giveUp('SIGINT', 130));
process.once('SIGTERM', () => giveUp('SIGTERM', 143));
process.once('uncaughtException', (error) => giveUp(error.stack, 1));

const results: RowResult[] = [];
for (const row of chosen) {
  process.stderr.write(`${row.name} ... `);
  const result = await run.measure(row);
  // The signal handler closes the run and ends the process.
  if (interrupted) await new Promise(() => {});
  results.push(result);
  process.stderr.write(`${result.verdict}${result.reason ? ` (${result.reason})` : ''}\n`);
}
const machine = describeMachine(await postgresVersion(run).catch(() => null));
await run.close();
const finished_at = new Date().toISOString();
await writeResults(results_file, { finished_at, scale, machine, rows: results });
console.log(`\n${machineLine(machine)} (${scale})\n\n${table(results)}\n\nEvery round: ${results_file}`);
process.exitCode = fails(results) ? 1 : 0;
