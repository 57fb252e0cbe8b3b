// The model that answers texts in the sandbox keeps the port's promises.
import { llmConformance } from '../conformance.ts';
import { sandboxLlm } from './index.ts';

llmConformance('sandbox', { speaks: async () => sandboxLlm() });
