// A handler of a carrier's stand-in that refuses what the carrier's published API description does not allow.
import { type CarrierContract, type ContractName, carrierContract } from '../carrier-contract.ts';
import type { Reply, SeenRequest } from './stand-in.ts';

const contracts = new Map<string, CarrierContract>();

/** Compiled once per process, because the descriptions are large. */
function contractOf(names: readonly ContractName[]): CarrierContract {
  const key = names.join();
  const known = contracts.get(key) ?? carrierContract(...names);
  contracts.set(key, known);
  return known;
}

/**
 * Every violation is added to `violations`, which a test expects to be empty at its end: an adapter may treat the refusal as
 * an answer that it knows. Checks nothing where the descriptions are not available.
 */
export const strictHandler = (
  names: readonly ContractName[],
  violations: string[],
  handle: (request: SeenRequest) => Reply,
) => {
  // Compiled now: the first request must not wait for it longer than its adapter waits for an answer.
  const { checkRequest, checkResponse } = contractOf(names);
  return (request: SeenRequest): Reply => {
    try {
      checkRequest(request);
      const reply = handle(request);
      checkResponse(request, reply);
      return reply;
    } catch (error) {
      violations.push((error as Error).message);
      return { status: 400, json: { code: 20001, message: (error as Error).message, status: 400 } };
    }
  };
};
