// The door of calls.
export { personAt, type SandboxPerson, sandboxPeople } from './sandbox-people/people.ts';
export { type PersonDeps, playPerson } from './sandbox-people/person.ts';
export type { Fact, SaidFact, SpokenCallEnd, TurnTimings } from './voice-agent/facts.ts';
export type { SpokenCall } from './voice-agent/spoken-call.ts';
export { type SpeechEngines, speakOnCall } from './voice-agent/voice-agent.ts';
