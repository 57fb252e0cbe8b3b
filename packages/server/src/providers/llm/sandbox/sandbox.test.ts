// The brain that answers texts in the sandbox keeps the port's promises.
import { llmConformance } from '../conformance.ts';
import { sandboxBrain } from './index.ts';

llmConformance('sandbox', { speaks: async () => sandboxBrain() });
