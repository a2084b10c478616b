import { leaksAtTheDoor } from './leaks-at-the-door.ts'
import { leaksAmongPeople } from './leaks-among-people.ts'
import { leaks } from './leaks.ts'
import { losses } from './losses.ts'
import { lossesInFolders } from './losses-in-folders.ts'
import { lossesInMoves } from './losses-in-moves.ts'
import { lossesInPlaces } from './losses-in-places.ts'
import { lossesInRows } from './losses-in-rows.ts'

/** A place in the source without which data would be lost, or shown to others. */
export interface Guard {
  /** The rule it keeps. */
  readonly name: string
  readonly file: string
  /** Its condition or its call, as the source has it; found there once. */
  readonly text: string
  /** The text without it. */
  readonly off: string
  /** Test files, below `test/`; one of them fails without the guard. */
  readonly tests: readonly string[]
}

/**
 * A guard: its rule, its text, the tests. Switched off, a condition never holds and a call is not
 * made, unless the row says what stands there then.
 */
type Row = readonly [name: string, text: string | readonly [on: string, off: string], ...string[]]

/** By the file that the guards are in. */
export type Rows = Readonly<Record<string, readonly Row[]>>

export const guards: readonly Guard[] = [
  ...Object.entries(leaks),
  ...Object.entries(leaksAtTheDoor),
  ...Object.entries(leaksAmongPeople),
  ...Object.entries(losses),
  ...Object.entries(lossesInMoves),
  ...Object.entries(lossesInRows),
  ...Object.entries(lossesInFolders),
  ...Object.entries(lossesInPlaces),
].flatMap(([file, own]) =>
  own.map(([name, given, ...tests]) => {
    const [text, off] =
      typeof given === 'string'
        ? [given, given.startsWith('if (') ? 'if (false)' : 'undefined']
        : given
    return { name, file, text, off, tests: tests.map((test) => `test/${test}.test.ts`) }
  }),
)
