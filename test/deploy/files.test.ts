// The files in deploy/ agree with the server: settings, ports, metrics and commands that they name exist.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { readConfig, settings } from '../../packages/server/src/config/config.ts';
import { example_environment, image, ownServices, readCompose, readDeployFile } from './compose-file.ts';

const folder = new URL('../../deploy/', import.meta.url);
const read = readDeployFile;
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

const listenedOn = (environment: Record<string, string | undefined>) => [
  environment.SMTP_PORT,
  environment.SUBMISSION_PORT,
  environment.SUBMISSION_TLS_PORT,
];

describe('Compose', () => {
  const compose = readCompose(example_environment);
  const own = ownServices(compose);

  test('has two API processes, two workers, mail, database, storage and proxy', () => {
    const roles = own.map(([, { environment }]) => environment!.PARLEY_ROLES);
    assert.equal(roles.filter((role) => role?.startsWith('api,mcp')).length, 2);
    assert.equal(roles.filter((role) => role?.includes('worker')).length, 2);
    assert.ok(roles.includes('smtp'));
    for (const name of ['postgres', 'objects', 'proxy']) assert.ok(compose.services[name], name);
  });

  test('gives every process settings that the server accepts', () => {
    for (const [name, { environment }] of own) {
      for (const setting of Object.keys(environment!)) assert.ok(setting in settings, `${name}: ${setting}`);
      const config = readConfig(environment!, tmpdir());
      assert.equal(config.PARLEY_STORAGE, 's3', name);
      assert.ok(config.PARLEY_BASE_URL?.startsWith('https://'), name);
    }
  });

  test('carriers know one address, and each worker is reached by the others under its own name', () => {
    for (const [name, { environment }] of own) {
      assert.equal(environment!.PARLEY_MEDIA_URL, undefined, name);
      const is_worker = environment!.PARLEY_ROLES?.includes('worker');
      const port = image.environment.PORT ?? String(settings.PORT.default);
      assert.equal(environment!.PARLEY_INTERNAL_URL, is_worker ? `http://${name}:${port}` : undefined, name);
    }
  });

  test('waits for what it needs, checks the health of every service, and stores only in declared volumes', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      assert.match(service.image ?? '', /:[\w.-]+$/, `${name} names an image with a tag`);
      for (const dependency of Object.keys(service.depends_on ?? {}))
        assert.ok(dependency in compose.services, `${name} needs ${dependency}`);
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(':') as [string];
        assert.ok(source in compose.volumes || source.startsWith('./proxy/'), `${name}: ${source}`);
      }
      const networks = Array.isArray(service.networks)
        ? service.networks
        : Object.keys(service.networks ?? {});
      for (const network of networks) assert.ok(network in compose.networks, network);
      const is_own = own.some(([own_name]) => own_name === name);
      assert.ok(is_own || service.healthcheck?.test, `${name} has a health check`);
      if (!is_own) continue;
      assert.equal(service.read_only, true, `${name} has a read-only root`);
      const calls_seconds = Number(service.environment!.PARLEY_STOP_CALLS_SECONDS);
      const seconds = calls_seconds + settings.PARLEY_STOP_GRACE_SECONDS.default + 15;
      assert.equal(service.stop_grace_period, `${seconds}s`, name);
    }
  });

  test('refuses to start without secrets', () => {
    assert.throws(() => readCompose({}), /set POSTGRES_PASSWORD/);
  });

  test('its proxy and its published ports lead to ports that the services listen on', () => {
    const upstreams = [...read('proxy/Caddyfile').matchAll(/\{\$\w+:([\w-]+):(\d+)\}/g)];
    assert.ok(upstreams.length > 4);
    for (const [, name, port] of upstreams) {
      const service = compose.services[name!];
      assert.ok(service, name);
      if (own.some(([own_name]) => own_name === name))
        assert.ok(image.exposed_ports.includes(Number(port)), `${name}:${port}`);
      else assert.ok(JSON.stringify(service).includes(`:${port}`), `${name}:${port}`);
    }
    for (const [name, { ports, environment }] of own)
      for (const published of ports ?? [])
        assert.ok(listenedOn(environment!).includes(published.split(':').at(-1)), `${name}: ${published}`);
  });
});

describe('Image', () => {
  const { dockerfile } = image;

  test('names only settings of the server, and serves the ports that it exposes', () => {
    const { environment, exposed_ports } = image;
    for (const name of Object.keys(environment)) assert.ok(name === 'NODE_ENV' || name in settings, name);
    const config = readConfig(environment, '/');
    assert.deepEqual(exposed_ports, [
      config.PORT,
      config.MCP_PORT,
      config.PARLEY_HEALTH_PORT,
      2525,
      2587,
      2465,
    ]);
  });

  test('has stages for build, install and runtime, a user without privileges, an init process and a health check', () => {
    assert.deepEqual(
      [...dockerfile.matchAll(/^FROM .* AS (\w+)$/gm)].map(([, name]) => name),
      ['build', 'install', 'runtime'],
    );
    assert.match(dockerfile, /^USER 10001:10001$/m);
    assert.match(
      dockerfile,
      /^ENTRYPOINT \["\/usr\/bin\/tini", "--", "\/app\/node_modules\/\.bin\/parley-server"\]$/m,
    );
    assert.match(dockerfile, /^HEALTHCHECK /m);
    // Nothing names an architecture, so the same file builds all.
    assert.doesNotMatch(dockerfile.replace(/^#.*$/gm, ''), /amd64|arm64|x64|x86/);
  });

  test('its health check ends with 0 when the process is ready, and with 1 when it is not', async () => {
    const { createServer } = await import('node:http');
    let status = 200;
    const server = createServer((_, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const run = async () => {
      const { spawn } = await import('node:child_process');
      const child = spawn(process.execPath, ['-e', image.health_check], {
        env: { PARLEY_HEALTH_PORT: String(port) },
      });
      return new Promise((resolve) => child.once('exit', resolve));
    };
    assert.equal(await run(), 0);
    status = 503;
    assert.equal(await run(), 1);
    server.close();
    assert.equal(await run(), 1);
  });
});

describe('Chart', () => {
  const values = parse(read('helm/values.yaml')) as {
    settings: Record<string, string>;
    processes: Record<string, { roles: string; settings?: Record<string, string>; ports?: object }>;
  };

  test('gives every process settings that the server accepts, and covers every role', () => {
    const secrets = {
      DATABASE_URL: 'postgres://db/parley',
      PARLEY_S3_ENDPOINT: 'https://s3.example.com',
      PARLEY_S3_BUCKET: 'parley',
      PARLEY_S3_ACCESS_KEY_ID: 'id',
      PARLEY_S3_SECRET_ACCESS_KEY: 'secret',
    };
    const roles = new Set<string>();
    for (const [name, process] of Object.entries(values.processes)) {
      const environment = {
        ...secrets,
        ...values.settings,
        ...process.settings,
        PARLEY_ROLES: process.roles,
      };
      for (const setting of Object.keys(environment)) assert.ok(setting in settings, `${name}: ${setting}`);
      for (const role of readConfig(environment, tmpdir()).PARLEY_ROLES) roles.add(role);
    }
    assert.deepEqual([...roles].sort(), ['api', 'mcp', 'smtp', 'submission', 'worker']);
  });

  test('every value and every named template that a template uses exists', () => {
    const texts = readdirSync(new URL('helm/templates/', folder)).map((name) =>
      read(`helm/templates/${name}`),
    );
    const all = texts.join('\n');
    const defined = new Set([...all.matchAll(/define "([\w.]+)"/g)].map(([, name]) => name));
    for (const [, name] of all.matchAll(/include "([\w.]+)"/g)) assert.ok(defined.has(name), name);
    for (const [, path] of all.matchAll(/\.Values\.([\w.]+)/g)) {
      let value: unknown = values;
      for (const part of path!.split('.')) value = (value as Record<string, unknown>)?.[part];
      assert.notEqual(value, undefined, path);
    }
    assert.equal(
      (all.match(/\{\{-? (if|range|with|define)\b/g) ?? []).length,
      (all.match(/\{\{-? end\b/g) ?? []).length,
    );
  });

  type Port = { name: string; port: number };
  type Rendered = {
    kind: string;
    metadata: { name: string };
    spec: {
      selector?: Record<string, string>;
      ports?: Port[];
      scaleTargetRef?: { kind: string; name: string };
      template?: {
        spec: {
          terminationGracePeriodSeconds: number;
          containers: {
            env: { name: string; value?: string; valueFrom?: { fieldRef: { fieldPath: string } } }[];
            ports: { name: string; containerPort: number }[];
          }[];
        };
      };
      rules?: { http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
    };
  };
  const packed_helm = fileURLToPath(new URL('.venv/bin/helm', import.meta.url));
  const helm = existsSync(packed_helm) ? packed_helm : 'helm';
  // Its package has a build for this system only.
  const is_packed = process.platform === 'linux' && process.arch === 'x64';
  const skip =
    spawnSync(helm, ['version']).error !== undefined &&
    (is_packed ? 'helm is not installed: scripts/install-test-packages' : 'helm is not on the PATH');
  function render(...options: string[]): Map<string, Rendered> {
    const args = ['template', 'parley', '.', '--kube-version', '1.31.0', ...options];
    const text = execFileSync(helm, args, {
      cwd: new URL('helm/', folder),
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const objects = text.split(/^---$/m).map((each) => parse(each) as Rendered | null);
    return new Map(
      objects.filter((object) => object !== null).map((each) => [`${each.kind} ${each.metadata.name}`, each]),
    );
  }

  const pathsOf = (objects: Map<string, Rendered>) =>
    objects.get('Ingress parley')!.spec.rules![0]!.http.paths.map(({ path }) => path);

  test('opens the two ports of submission where it has replicas', { skip }, () => {
    assert.ok(!render().has('Service parley-submission'));
    const { spec } = render('--set', 'processes.submission.replicas=1').get('Service parley-submission')!;
    assert.deepEqual(
      spec.ports!.map(({ port }) => port),
      [587, 465],
    );
  });

  test('renders every kind of object', { skip }, () => {
    const objects = render(
      ...['--set', 'ingress.enabled=true', '--set', 'metrics.podMonitor=true'],
      ...['--set', 'processes.worker.autoscaling.enabled=true'],
    );
    for (const name of [
      ...[
        'Deployment parley-api',
        'Deployment parley-worker',
        'Deployment parley-smtp',
        'Job parley-migrate',
      ],
      ...['HorizontalPodAutoscaler parley-worker', 'PodDisruptionBudget parley-api', 'Ingress parley'],
      'PodMonitor parley',
    ])
      assert.ok(objects.has(name), `${name} is not in ${[...objects.keys()].join(', ')}`);
    const { scaleTargetRef } = objects.get('HorizontalPodAutoscaler parley-worker')!.spec;
    assert.ok(objects.has(`${scaleTargetRef!.kind} ${scaleTargetRef!.name}`));
  });

  test('carriers know one address, and the API reaches each pod with calls under its own address', {
    skip,
  }, () => {
    const objects = render('--set', 'ingress.enabled=true');
    const { containers, terminationGracePeriodSeconds } =
      objects.get('Deployment parley-worker')!.spec.template!.spec;
    const { env, ports } = containers[0]!;
    const at = (name: string) => env.findIndex((each) => each.name === name);
    assert.equal(env[at('POD_IP')]?.valueFrom?.fieldRef.fieldPath, 'status.podIP');
    assert.ok(at('POD_IP') < at('PARLEY_INTERNAL_URL'), 'a later value uses an earlier one');
    const text = env[at('PARLEY_INTERNAL_URL')]!.value!.replace('$(POD_IP)', '10.1.2.3');
    const { PARLEY_INTERNAL_URL } = readConfig({ PARLEY_INTERNAL_URL: text }, tmpdir());
    const { port } = new URL(PARLEY_INTERNAL_URL!);
    assert.ok(ports.some(({ containerPort }) => containerPort === Number(port)));
    assert.equal(at('PARLEY_MEDIA_URL'), -1);
    assert.deepEqual(pathsOf(objects), ['/mcp', '/']);
    const calls_seconds = Number(env[at('PARLEY_STOP_CALLS_SECONDS')]!.value);
    const grace_seconds = settings.PARLEY_STOP_GRACE_SECONDS.default;
    assert.equal(terminationGracePeriodSeconds, 5 + calls_seconds + grace_seconds + 15);
    const unreachable = ['--set', 'processes.worker.ports=null'];
    assert.throws(() => render(...unreachable), /other processes send audio there/);
  });

  test('without audio of carriers workers have no address', { skip }, () => {
    const off = 'processes.worker.media.enabled=false,processes.worker.ports=null';
    const objects = render('--set', `ingress.enabled=true,${off}`);
    const { env } = objects.get('Deployment parley-worker')!.spec.template!.spec.containers[0]!;
    assert.ok(!env.some(({ name }) => ['POD_IP', 'PARLEY_INTERNAL_URL'].includes(name)));
    assert.ok(!objects.has('Service parley-worker'));
    assert.deepEqual(pathsOf(objects), ['/mcp', '/']);
  });
});

describe('systemd', { skip: !has('systemd-analyze') && 'systemd-analyze is not installed' }, () => {
  test('accepts the units', () => {
    const copy = mkdtempSync(join(tmpdir(), 'parley-units-'));
    try {
      cpSync(new URL('systemd/', folder), copy, { recursive: true });
      const units = readdirSync(copy).filter((name) => /\.(service|target)$/.test(name));
      for (const name of units) {
        // The server is not installed there on this machine.
        const text = readFileSync(join(copy, name), 'utf8');
        writeFileSync(join(copy, name), text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
      }
      const { status, stderr } = spawnSync(
        'systemd-analyze',
        ['verify', '--recursive-errors=no', ...units.map((name) => join(copy, name))],
        { encoding: 'utf8' },
      );
      assert.deepEqual([status, stderr.split('\n').filter((line) => line.includes('parley'))], [0, []]);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  test('the stop limit is longer than the grace of the server, and the signal goes to the server', () => {
    const unit = read('systemd/parley@.service');
    assert.match(unit, /^KillMode=mixed$/m);
    assert.ok(
      Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) >= settings.PARLEY_STOP_GRACE_SECONDS.default + 15,
    );
    assert.match(unit, /^ExecStart=\S*parley-server$/m, 'no shell stands between systemd and the server');
  });

  test('only the user of the server can read the data folder and what the server writes', () => {
    for (const name of ['parley@.service', 'parley-migrate.service']) {
      const unit = read(`systemd/${name}`);
      assert.match(unit, /^StateDirectoryMode=0750$/m, name);
      assert.match(unit, /^UMask=0077$/m, name);
    }
  });
});
