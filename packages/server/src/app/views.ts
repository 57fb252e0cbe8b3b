// Builds the projector and the features whose tables it keeps current.
import { writtenText } from '../features/emails/index.ts';
import { projectorFeature } from '../features/projector/index.ts';
import type { Base } from './events.ts';
import type { ViewParts } from './parts.ts';

export function buildViews(base: Base): ViewParts {
  const projector = projectorFeature({ ...base, projections: [], emailText: writtenText });
  return { projector };
}
