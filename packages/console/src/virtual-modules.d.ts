// The types of the modules that the build generates from the contract; see contract-facts.ts.
/// <reference types="vite/client" />
declare module 'virtual:contract/states' {
  export const states: Record<string, readonly string[]>;
  export const end_reasons: readonly string[];
  export const sms_body_chars: number;
}
declare module 'virtual:contract/reasons' {
  export const sms_errors: Record<string, string>;
}
declare module 'virtual:contract/events' {
  export const events: readonly { type: string; meaning: string; example: Record<string, unknown> }[];
}
declare module 'virtual:contract/tools' {
  export type ToolSchema = {
    properties: Record<
      string,
      { type?: string; description?: string; enum?: string[]; const?: unknown; items?: { type?: string } }
    >;
    required?: string[];
  };
  export const tools: readonly {
    toolset: string;
    name: string;
    title: string;
    description: string;
    input_schema: ToolSchema;
    call: { method: string; path: string; params: string[]; input: 'body' | 'query' | 'upload' | null };
  }[];
}
declare module 'virtual:contract/commands' {
  export const commands: Record<string, string>;
}
