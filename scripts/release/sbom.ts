// Makes a software bill of materials in CycloneDX 1.6 for one published package, from the lock file.
//
// `npm sbom --omit=dev` is not used: it leaves out packages that the development dependencies of the checkout need too, such as
// zod, and it describes the checkout instead of the published packages.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Lock, needsOf, resolveIn } from '../build/lock.ts';

/** A package of ours. `folder` is where its dependencies are resolved; `bundles` names packages whose files it contains. */
export type OwnPackage = {
  name: string;
  description?: string;
  license: string;
  folder: string;
  requires: readonly string[];
  optional: readonly string[];
  bundles: readonly { folder: string; name: string; with_dependencies: boolean }[];
  /** Source of others that is kept in our repository, so no lock file names it. */
  copies?: readonly { name: string; version: string; license: string }[];
};

type Component = {
  type: 'library';
  'bom-ref': string;
  group?: string;
  name: string;
  version: string;
  scope?: 'required' | 'optional';
  hashes?: { alg: 'SHA-512'; content: string }[];
  licenses?: ({ license: { id: string } } | { expression: string })[];
  purl: string;
  properties?: { name: string; value: string }[];
};
type Node = { component: Component; requires: Set<string>; optional: Set<string> };
export type Sbom = {
  bomFormat: 'CycloneDX';
  specVersion: '1.6';
  serialNumber: string;
  version: 1;
  metadata: { timestamp: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

function component(
  name: string,
  version: string,
  license: string | undefined,
  integrity?: string,
): Component {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group && { group }),
    name: short!,
    version,
    ...(integrity && {
      hashes: [
        { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
      ],
    }),
    ...(license && {
      licenses: [/^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
    }),
    purl,
  };
}

/** Everything that a package needs, directly or through other packages. */
type Graph = { nodes: Map<string, Node>; own: ReadonlyMap<string, OwnPackage>; lock: Lock; version: string };

function nodeOf({ nodes }: Graph, made: Component): { node: Node; is_new: boolean } {
  const known = nodes.get(made['bom-ref']);
  const node = known ?? { component: made, requires: new Set<string>(), optional: new Set<string>() };
  nodes.set(made['bom-ref'], node);
  return { node, is_new: !known };
}

/** Adds a package of ours with all that it needs; returns its reference. */
function addOwn(graph: Graph, each: OwnPackage): string {
  const { node, is_new } = nodeOf(graph, component(each.name, graph.version, each.license));
  if (is_new) {
    for (const name of each.requires) node.requires.add(addByName(graph, each.folder, name));
    for (const name of each.optional) addOptional(graph, node, each.folder, name);
    for (const { folder, name, with_dependencies } of each.bundles)
      node.requires.add(addLocked(graph, resolveIn(graph.lock, folder, name), name, with_dependencies));
    for (const { name, version, license } of each.copies ?? [])
      node.requires.add(nodeOf(graph, component(name, version, license)).node.component['bom-ref']);
  }
  return node.component['bom-ref'];
}

function addByName(graph: Graph, folder: string, name: string): string {
  const own = graph.own.get(name);
  return own ? addOwn(graph, own) : addLocked(graph, resolveIn(graph.lock, folder, name), name, true);
}

/** An optional dependency may be missing from the lock file. */
function addOptional(graph: Graph, node: Node, folder: string, name: string): void {
  if (graph.own.has(name) || resolveIn(graph.lock, folder, name) !== null)
    node.optional.add(addByName(graph, folder, name));
}

function addLocked(graph: Graph, path: string | null, name: string, with_dependencies: boolean): string {
  const entry = path === null ? undefined : graph.lock.packages[path];
  if (path === null || !entry?.version) throw new Error(`The lock file has no ${name}.`);
  const { node, is_new } = nodeOf(graph, component(name, entry.version, entry.license, entry.integrity));
  if (is_new && with_dependencies) {
    for (const need of needsOf(entry)) {
      if (need.kind === 'optional') addOptional(graph, node, path, need.name);
      else node.requires.add(addByName(graph, path, need.name));
    }
  }
  return node.component['bom-ref'];
}

function requiredBy(nodes: ReadonlyMap<string, Node>, root: string): Set<string> {
  const found = new Set<string>();
  const waiting = [root];
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (found.has(ref)) continue;
    found.add(ref);
    waiting.push(...nodes.get(ref)!.requires);
  }
  return found;
}

/** The same input gives the same number: a repeated build has the same checksum. */
function serialNumber(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

export function makeSbom(
  subject: OwnPackage,
  own: readonly OwnPackage[],
  lock: Lock,
  version: string,
  date: string,
): Sbom {
  const graph: Graph = {
    nodes: new Map(),
    own: new Map(own.map((each) => [each.name, each])),
    lock,
    version,
  };
  const root = addOwn(graph, subject);
  const required = requiredBy(graph.nodes, root);
  const bundled = new Set([...subject.bundles, ...(subject.copies ?? [])].map(({ name }) => name));
  const nodes = [...graph.nodes.values()].sort((a, b) =>
    a.component['bom-ref'] < b.component['bom-ref'] ? -1 : 1,
  );
  const components = nodes
    .filter(({ component }) => component['bom-ref'] !== root)
    .map(({ component }): Component => {
      const full_name = component.group ? join(component.group, component.name) : component.name;
      return {
        ...component,
        scope: required.has(component['bom-ref']) ? 'required' : 'optional',
        ...(bundled.has(full_name) && { properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] }),
      };
    });
  const dependencies = nodes.map((node) => ({
    ref: node.component['bom-ref'],
    dependsOn: [...node.requires, ...node.optional].sort(),
  }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumber(JSON.stringify([root, date, components, dependencies])),
    version: 1,
    metadata: { timestamp: `${date}T00:00:00Z`, component: graph.nodes.get(root)!.component },
    components,
    dependencies,
  };
}
