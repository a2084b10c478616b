declare const ofTable: unique symbol

/** A hint of an {@link adviceTable}, filled in: no other text tells a person what to do next. */
export type Advice = string & { readonly [ofTable]: true }

type Texts = Readonly<Record<string, (...values: never[]) => string>>

type AdviceTable<Hints extends Texts> = {
  readonly [Name in keyof Hints]: (...values: Parameters<Hints[Name]>) => Advice
}

/** The one place where texts become hints: a program has one table, and a test follows each row. */
export function adviceTable<Hints extends Texts>(hints: Hints): AdviceTable<Hints> {
  return hints as unknown as AdviceTable<Hints>
}
