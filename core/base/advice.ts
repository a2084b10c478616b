declare const ofTable: unique symbol

/** A next step from an {@link adviceTable}. Only these may tell a person what to do next. */
export type Advice = string & { readonly [ofTable]: true }

type Texts = Readonly<Record<string, (...values: never[]) => string>>

type AdviceTable<Hints extends Texts> = {
  readonly [Name in keyof Hints]: (...values: Parameters<Hints[Name]>) => Advice
}

/** Makes a table of next steps. Each program has one, and a test follows each row. */
export function adviceTable<Hints extends Texts>(hints: Hints): AdviceTable<Hints>
export function adviceTable(hints: Texts): Texts {
  return hints
}
