// The dashboard and the alert rules name metrics and labels that a running service has; Prometheus accepts and loads them.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lifecycles } from '@parley/contract';
import { parse } from 'yaml';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech, ended, people, place } from '../../packages/server/testing/calls.ts';
import { readExposition } from '../../packages/server/testing/exposition.ts';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { relayOf } from '../../packages/server/testing/scripted-relay.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
type Rules = { groups: { rules: { alert: string; expr: string }[] }[] };
const rules = (parse(readFileSync(join(folder, 'prometheus/alerts.yml'), 'utf8')) as Rules).groups.flatMap(
  (group) => group.rules,
);
type Dashboard = {
  panels: { title: string; targets?: { expr: string }[] }[];
  templating: { list: { definition?: string }[] };
};
const dashboard = JSON.parse(readFileSync(join(folder, 'grafana/parley.json'), 'utf8')) as Dashboard;
/** As Grafana sends them: with its variables replaced. */
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    title,
    expr: expr.replaceAll('$job', '.+').replaceAll('$__rate_interval', '1m'),
  })),
);
/** As prometheus-adapter sends it, in a namespace. */
type Adapter = { rules: { external: { seriesQuery: string; metricsQuery: string; name: { as: string } }[] } };
const adapter = (parse(readFileSync(join(folder, 'prometheus/adapter-values.yaml'), 'utf8')) as Adapter).rules
  .external[0]!;
const adapted = {
  title: adapter.name.as,
  expr: adapter.metricsQuery.replace('<<.Series>>', adapter.name.as).replace('{<<.LabelMatchers>>}', ''),
};
const queries = [adapted, ...rules.map(({ alert, expr }) => ({ title: alert, expr })), ...panels];

const relay = await relayOf({});
const service = await startTestApp(
  {
    PARLEY_METRICS: 'public',
    PARLEY_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
    PARLEY_SMTP_TLS: 'off',
  },
  { speech: () => codedSpeech() },
);
const scrape = async () => readExposition((await service.anonymous.request('GET', '/metrics')).text);

describe('monitoring', { timeout: 90_000 }, () => {
  test('every metric and label that a panel or a rule names is in a scrape', async () => {
    await ended(service.client, (await place(service.client, people.busy)).id);
    const { families } = await scrape();
    const labelsOf = (name: string): Set<string> | null => {
      const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
      if (!family) return null;
      const [first] = family.samples.keys();
      const pairs = first ? (JSON.parse(first.slice(first.indexOf('['))) as [string, string][]) : [];
      return new Set([...pairs.map(([label]) => label), 'le', 'job', 'instance']);
    };
    for (const { title, expr } of queries)
      for (const [, name, matchers = ''] of expr.matchAll(/\b(parley_\w+)(?:\{([^}]*)\})?/g)) {
        const labels = labelsOf(name!);
        assert.ok(labels, `${title}: there is no metric ${name}`);
        for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=|!)/g))
          assert.ok(labels.has(label!), `${title}: ${name} has no label ${label}`);
      }
    for (const { definition } of dashboard.templating.list)
      if (definition) assert.ok(labelsOf(/\((\w+),/.exec(definition)![1]!), definition);
  });

  test('every outcome that a panel or a rule names exists', () => {
    const outcomes = new Set<string>([...lifecycles.flatMap(({ states }) => [...states]), 'bounced']);
    for (const { title, expr } of queries)
      for (const [, values] of expr.matchAll(/\boutcome=~?"([^"]+)"/g))
        for (const value of values!.split('|')) assert.ok(outcomes.has(value), `${title}: ${value}`);
  });

  test('every process of the example is scraped on its health port', () => {
    const config = parse(readFileSync(join(folder, 'prometheus/prometheus.yml'), 'utf8')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const targets = config.scrape_configs[0]!.static_configs[0]!.targets;
    const services = Object.keys(
      (parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), { merge: true }) as { services: object })
        .services,
    );
    for (const target of targets) {
      const [host, port] = target.split(':');
      assert.ok(services.includes(host!), target);
      assert.equal(port, '8082');
    }
  });
});

const has_prometheus = ['prometheus', 'promtool'].every(
  (program) => spawnSync(program, ['--version']).error === undefined,
);

describe('Prometheus', {
  skip: !has_prometheus && 'prometheus is not installed: scripts/install-debian-programs',
  timeout: 90_000,
}, () => {
  test('accepts the configuration, and the rules pass their tests', () => {
    const run = (...args: string[]) =>
      execFileSync('promtool', args, { cwd: join(folder, 'prometheus'), encoding: 'utf8', stdio: 'pipe' });
    assert.match(run('check', 'config', 'prometheus.yml'), /SUCCESS/);
    assert.match(run('test', 'rules', 'alerts.test.yml'), /SUCCESS/);
  });

  test('scrapes a running service, evaluates every rule, and answers every panel', async (t) => {
    const prometheus = await startPrometheus(t, new URL(service.url).host);
    const { data: loaded } = await prometheus.api<{
      groups: { rules: { health: string; lastError?: string }[] }[];
    }>('/api/v1/rules');
    for (const { health, lastError } of loaded.groups.flatMap((group) => group.rules))
      assert.equal(health, 'ok', lastError);
    const empty: string[] = [];
    for (const { title, expr } of [adapted, ...panels]) {
      const { status, data } = await prometheus.api<{ result: unknown[] }>(
        `/api/v1/query?query=${encodeURIComponent(expr)}`,
      );
      assert.equal(status, 'success', title);
      // A rate needs two scrapes with a change; every other panel has a value at once.
      if (data.result.length === 0 && !expr.includes('rate(')) empty.push(title);
    }
    assert.deepEqual(empty, []);
  });
});

/** Starts Prometheus with our rules, scraping one target, and waits until the rules were evaluated after a scrape. */
async function startPrometheus(t: { after(done: () => Promise<void>): void }, target: string) {
  const home = mkdtempSync(join(tmpdir(), 'parley-prometheus-'));
  cpSync(join(folder, 'prometheus/alerts.yml'), join(home, 'alerts.yml'));
  const config = parse(readFileSync(join(folder, 'prometheus/prometheus.yml'), 'utf8'));
  config.global = { scrape_interval: '200ms', scrape_timeout: '200ms', evaluation_interval: '200ms' };
  config.scrape_configs[0].static_configs[0].targets = [target];
  // JSON is YAML.
  writeFileSync(join(home, 'prometheus.yml'), JSON.stringify(config));
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(home, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(home, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(home, { recursive: true, force: true });
  });
  const api = async <T>(path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return (await response.json()) as { status: string; data: T };
  };
  const isEvaluated = async () => {
    assert.equal(child.exitCode, null, log);
    const up = await api<{ result: { value: [number, string] }[] }>('/api/v1/query?query=up').catch(
      () => null,
    );
    if (up?.data?.result[0]?.value[1] !== '1') return false;
    const { data } = await api<{ groups: { rules: { health: string }[] }[] }>('/api/v1/rules');
    const all = data.groups.flatMap((group) => group.rules);
    return all.length > 0 && all.every(({ health }) => health !== 'unknown');
  };
  await waitFor('Prometheus has scraped the service and evaluated the rules', isEvaluated);
  return { api };
}
