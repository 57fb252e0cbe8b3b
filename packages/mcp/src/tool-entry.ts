// One line of the table of tools: which operation it calls, and what differs from it.

export type WaitsFor = 'call' | 'message' | 'approval' | 'anything';

export type ToolEntry = {
  /** The operation id; a tool whose operation does not exist is left out. */
  operation: string;
  title: string;
  /** Says when to use the tool and what it returns. Default: the description of the operation. */
  description?: string;
  /** Inputs to leave out because a conversation does not need them. */
  without?: readonly string[];
  /** The fields to return, if the caller already knows the others from its own arguments. */
  returns?: readonly string[];
  /** Inputs with a different default than in the API. */
  defaults?: Readonly<Record<string, unknown>>;
  /** The tool waits: until the call is over, a message is received, a person has decided, or a stored wait is over. */
  waits_for?: WaitsFor;
};
