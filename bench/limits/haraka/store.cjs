// Plugin of Haraka for the benchmark: accepts every recipient, parses the message, and stores it as our service does:
// the raw message in a synced file, and one row in PostgreSQL.
const { open, rename } = require('node:fs/promises');
const { randomUUID } = require('node:crypto');
const { join } = require('node:path');
const pg = require('pg');

let pool;
const counts = { stored: 0, spf: 0, dkim: 0 };

exports.register = () => {
  require('node:dns').setServers([process.env.BENCH_DNS]);
  require('node:dns').promises.setServers([process.env.BENCH_DNS]);
  pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 16 });
  process.on('message', () => process.send(counts));
};

// Without this, connections from loopback would skip the checks.
exports.hook_connect_init = (next, connection) => {
  connection.set('remote', 'is_private', false);
  connection.set('remote', 'is_local', false);
  next();
};
exports.hook_rcpt = (next) => next(OK);
exports.hook_data = (next, connection) => {
  connection.transaction.parse_body = true;
  next();
};

const passed = (holder, plugin) => holder.results.get(plugin)?.pass?.length > 0;

exports.hook_queue = async (next, connection) => {
  const { transaction } = connection;
  try {
    const id = randomUUID();
    const raw = await new Promise((resolve) => transaction.message_stream.get_data(resolve));
    const path = join(process.env.BENCH_FOLDER, id);
    const file = await open(`${path}.part`, 'wx');
    await file.writeFile(raw);
    await file.datasync();
    await file.close();
    await rename(`${path}.part`, path);
    const bodies = { text: [], html: [] };
    const collect = (part) => {
      if (/text\/html/.test(part.ct)) bodies.html.push(part.bodytext);
      else if (/text\/plain/.test(part.ct)) bodies.text.push(part.bodytext);
      for (const child of part.children) collect(child);
    };
    collect(transaction.body);
    const spf = passed(transaction, 'spf') || passed(connection, 'spf');
    const dkim = passed(transaction, 'dkim');
    const { header } = transaction;
    await pool.query({
      name: 'store',
      text: `insert into haraka_emails (id, organization_id, conversation_id, direction, from_address, to_addresses,
               cc_addresses, bcc_addresses, subject, status, requested_at, metadata, body_text, body_html, message_id,
               references_ids, spf_verdict, dkim_verdict, raw_key, thread_key)
             values ($1, $2, $1, 'inbound', $3, $4, '{}', '{}', $5, 'received', now(), '{}', $6, $7, $8, '{}', $9, $10, $11, $12)`,
      values: [
        id,
        randomUUID(),
        transaction.mail_from.address,
        transaction.rcpt_to.map((each) => each.address),
        header.get_decoded('subject').trim(),
        bodies.text.join('\n'),
        bodies.html.join('\n'),
        header.get('message-id').trim(),
        spf ? 'PASS' : 'FAIL',
        dkim ? 'PASS' : 'FAIL',
        path,
        id.slice(0, 22),
      ],
    });
    counts.stored++;
    if (spf) counts.spf++;
    if (dkim) counts.dkim++;
    next(OK);
  } catch (error) {
    connection.logerror(error.stack);
    next(DENYSOFT);
  }
};
