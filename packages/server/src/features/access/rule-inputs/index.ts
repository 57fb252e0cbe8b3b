// Rule inputs: who may change what the rules for sending and receiving read. Services of these columns ask here.
export { mayLoosen, type RuleInput, requireRight } from './rights.ts';
export { type Entry, type Loosener, rule_inputs } from './table.ts';
