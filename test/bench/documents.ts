import { Random } from '../faults/random.ts'

/** Words in the text of a document: some seventy, as in a description of a data set. */
const wordsOfText = 64
const wordsOfTitle = 6
const vocabularySize = 20_000

export interface Document {
  readonly title: string
  readonly description: string
}

/** Document number `index`: always the same, with words as rare as those of a language. */
export function documentOf(index: number): Document {
  const random = new Random(index)
  const title = sentence(random, wordsOfTitle)
  return { title, description: sentence(random, wordsOfText) }
}

/**
 * Searches as people make them: a word or two that are in some documents, but not in most.
 *
 * @returns `count` queries, always the same
 */
export function queries(count: number): readonly string[] {
  const random = new Random(count)
  return Array.from({ length: count }, (_, index) => {
    const words = index % 2 === 0 ? [500] : [60, 120]
    return words
      .map((commonest) => wordAt(between(random, commonest, vocabularySize / 4)))
      .join(' ')
  })
}

function sentence(random: Random, words: number): string {
  return Array.from({ length: words }, () => wordAt(between(random, 1, vocabularySize))).join(' ')
}

/** A rank, by Zipf's law: twice the rank is half as frequent. */
function between(random: Random, low: number, high: number): number {
  return Math.floor(low * (high / low) ** random.fraction())
}

const vocabulary = Array.from({ length: vocabularySize }, (_, rank) => makeWord(rank))

function wordAt(rank: number): string {
  return vocabulary[rank - 1] ?? ''
}

/** A pronounceable word for each number. */
function makeWord(rank: number): string {
  const [consonants, vowels] = ['bdfgklmnprstvz', 'aeiou']
  let [word, left] = ['', rank + 300]
  while (left > 0) {
    word += consonants[left % consonants.length]
    left = Math.floor(left / consonants.length)
    word += vowels[left % vowels.length]
    left = Math.floor(left / vowels.length)
  }
  return word
}
