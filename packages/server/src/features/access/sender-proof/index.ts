// Whether the sender of a received email is who it says. Everything that trusts a sender asks here.
export { providerProof } from './provider-proof.ts';
export {
  authenticityOf,
  isProven,
  proofOf,
  provenSender,
  type SenderProof,
  senderProof,
} from './sender-proof-store.ts';
