// The sandbox model passes the conformance suite of the LLM port.
import { llmConformance } from '../conformance.ts';
import { sandboxLlm } from './index.ts';

llmConformance('sandbox', { speaks: async () => sandboxLlm() });
