import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isWithinEdits, piecesNear, type Piece } from '../../core/search/word-pieces.ts'

/** Few letters, so that words are often similar; two of them share a UTF-16 unit. */
const letters = fc.array(fc.constantFrom('a', 'b', 'é', '𝒜', '𝒞'), { minLength: 1, maxLength: 12 })
const change = fc.record({ at: fc.nat(12), remove: fc.nat(1), add: letters })
const words = fc
  .tuple(letters, fc.array(change, { maxLength: 2 }))
  .map(([word, changes]) => [word.join(''), changes.reduce(changed, word).join('')] as const)

function changed(word: readonly string[], { at, remove, add }: Change): readonly string[] {
  return word.toSpliced(at, remove, ...add.slice(0, 1 - (at % 2)))
}

interface Change {
  readonly at: number
  readonly remove: number
  readonly add: readonly string[]
}

/** Splits a word as the indexes do. */
function hasPiece(word: string, { length, place, text }: Piece): boolean {
  const characters = Array.from(word)
  const third = Math.floor(length / 3)
  const end = place === 2 ? length : (place + 1) * third
  return characters.length === length && characters.slice(place * third, end).join('') === text
}

it('every similar word has at least one of the pieces', () => {
  let near = 0
  fc.assert(
    fc.property(words, fc.constantFrom(1 as const, 2 as const), ([word, other], edits) => {
      if (other === '' || !isWithinEdits(other, word, edits)) return
      near += 1
      expect(piecesNear(word, edits).some((piece) => hasPiece(other, piece))).toBe(true)
    }),
    { numRuns: 5000 },
  )
  expect(near).toBeGreaterThan(1000)
})

it('a word has few pieces, however long it is', () => {
  const word = 'abcdefghijkl'.repeat(20)

  expect(piecesNear(word, 1)).toHaveLength(6)
  expect(piecesNear(word, 2)).toHaveLength(19)
})
