// The generated files of the Python client: what each must contain right now.
import type { Document } from '../openapi-document.ts';
import { docstring, generated_note } from './python-text.ts';
import { eventsModule, recordsModule, recordWriter } from './records.ts';
import { methodsOf, resourceClass, resourceModule } from './resources.ts';

const package_folder = 'clients/python/src/parley';

/** `version` is that of the whole project. */
export function pythonClient(openapi: unknown, version: string): Record<string, string> {
  const document = openapi as Document;
  const writer = recordWriter(document);
  const nouns = methodsOf(document, writer);
  const events = eventsModule(document, writer);
  const described = new Map(document.tags.map(({ name, description }) => [name, description]));
  const files: Record<string, string> = {
    'records.py': recordsModule(writer),
    'events.py': events,
    '_version.py': `${generated_note}"""The version of this package: that of the server it was made with."""\n\n__version__ = "${version}"\n`,
    'resources/__init__.py': allResources([...nouns.keys()], described),
  };
  for (const [noun, methods] of nouns)
    files[`resources/${noun}.py`] = resourceModule(
      noun,
      methods,
      described.get(noun) ?? noun,
      writer.names(),
    );
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${package_folder}/${name}`, text]));
}

function allResources(nouns: string[], described: Map<string, string>): string {
  const imports = nouns
    .map(
      (noun) => `from parley.resources.${noun} import Async${resourceClass(noun)}, ${resourceClass(noun)}\n`,
    )
    .sort()
    .join('');
  const classText = (prefix: string) => {
    const lines = nouns.map((noun) => {
      const doc = described.get(noun);
      return `        self.${noun} = ${prefix}${resourceClass(noun)}(transport)\n${doc ? docstring([doc], '        ') : ''}`;
    });
    return `class ${prefix}Resources:\n    """Every resource of the ${prefix === '' ? 'sync' : 'async'} client."""\n\n    def __init__(self, transport: ${prefix}Transport) -> None:\n        self._transport = transport\n${lines.join('')}`;
  };
  return `${generated_note}"""The resources of both clients."""

from __future__ import annotations

from parley._transport import AsyncTransport, Transport
${imports}

${classText('')}

${classText('Async')}`;
}
