/** One setting. The reference page, `.env.example` and the help are generated from it. */
export interface Setting<T> {
  name: string;
  /** What the setting does: one or two sentences in Markdown. */
  meaning: string;
  /** The default in words, which applies if the name is absent or empty. */
  otherwise: string;
  example: string;
  fallback: T;
  /** Throws an OperatorError whose message continues after the name and never contains the value. */
  parse(text: string): T;
}

/** Infers the type of a setting from its definition. */
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}
