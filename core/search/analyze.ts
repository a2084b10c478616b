/**
 * The form in which texts are compared: compatible characters made one (NFKC), lower case, without
 * the accents of Latin, Greek and Cyrillic letters and the vowel points of Hebrew and Arabic.
 */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  const bare = text.normalize('NFKC').toLowerCase().normalize('NFD').replaceAll(accents, '')
  // Composed again, because the marks of other scripts and the parts of Hangul make the letter.
  return bare.normalize('NFC').replaceAll(undecomposed, (letter) => plainLetters[letter] ?? letter)
}

const ascii = /^[\0-\x7f]*$/

const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u064b-\u065f\u0670]/g

/** Letters that fold to others and that Unicode does not take apart. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
const undecomposed = /[ßæœøłđðþħıς]/g

/** Longest word, in code points; a longer one is taken for several that follow each other. */
const maxWordLength = 64

/** Scripts that put no spaces between words: each of their characters is a word. */
const unspaced = [
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
]
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('')

const wordCharacter = String.raw`[\p{L}\p{N}\p{M}]`

const words = new RegExp(
  [
    `[[${unspaced}]&&${wordCharacter}]`,
    `[${wordCharacter}--[${unspaced}]]{1,${maxWordLength}}`,
    String.raw`\p{Extended_Pictographic}`,
  ].join('|'),
  'gv',
)

const asciiWords = new RegExp(`[a-z0-9]{1,${maxWordLength}}`, 'g')

/**
 * The words of a text in their order, folded. Everything that is no letter, digit or pictograph
 * parts words, so `10.1234/abc` is three that follow each other wherever it stands; in Chinese,
 * Japanese, Korean, Thai and their like each character is a word, and a word of theirs a phrase.
 *
 * Queries and documents go through this same function, on which alone the hits depend.
 */
export function wordsOf(text: string): readonly string[] {
  const folded = foldText(text)
  // The same words by a pattern that is several times faster, for most texts there are.
  return folded.match(ascii.test(folded) ? asciiWords : words) ?? []
}
