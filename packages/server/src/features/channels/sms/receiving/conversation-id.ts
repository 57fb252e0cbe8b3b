// The id of the conversation between one of our senders and one phone: the same pair always has the same id.
import { namedId } from '../../../../platform/ids.ts';

export const conversationId = (organization_id: string, ours: string, theirs: string): string =>
  namedId(organization_id, ours, theirs);
