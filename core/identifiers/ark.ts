import { createHash } from 'node:crypto'
import type { Provider } from '../ports/provider.ts'

/** Characters of a NOID without vowels, so that no word comes about, and without `l`. */
const alphabet = '0123456789bcdfghjkmnpqrstvwxz'

/** Characters before the check character: 29¹⁰ is 4 × 10¹⁴. */
const length = 10

/**
 * ARKs, which are made here and asked of nobody: `ark:NAAN/` with ten characters and a check
 * character. A resolver such as n2t.net leads them to the service that the number is registered for.
 *
 * @param authority number of the name assigning authority, perhaps with a shoulder: `99999/fk4`
 * @see https://datatracker.ietf.org/doc/draft-kunze-ark/
 */
export function arkProvider(authority: string): Provider {
  const start = authority.includes('/') ? authority : `${authority}/`
  return {
    name: 'ark',
    scheme: 'ark',
    isLocal: true,
    reserve: (value) => {
      const name = start + blade(value)
      return `ark:${name}${checkCharacter(name)}`
    },
    toUrl: (ark) => `https://n2t.net/${ark}`,
    // It means what is said here.
    want: async () => ({ is: 'done' }),
    check: async (ark) =>
      isArk(ark) ? [] : [{ field: 'check character', here: ark, there: 'another one' }],
  }
}

/**
 * An ARK as it is stored. Hyphens mean nothing, older ones have a slash after the colon, and those that
 * are made here have no capitals.
 *
 * @param text that begins with `ark:`, in any case
 * @see draft-kunze-ark §2, "ARK Anatomy"
 */
export function storedArk(text: string): string {
  return text
    .toLowerCase()
    .replace(/^ark:\/?/, 'ark:')
    .replaceAll('-', '')
}

/** The same for the same value. */
function blade(value: string): string {
  const digest = createHash('sha256').update(value).digest('hex').slice(0, 16)
  let number = BigInt(`0x${digest}`)
  let text = ''
  while (text.length < length) {
    text += alphabet[Number(number % 29n)] ?? ''
    number /= 29n
  }
  return text
}

/**
 * The check character of the NOID check digit algorithm: it finds each wrong character and each pair
 * that changed places.
 *
 * @param name from the number of the authority on, without `ark:`
 * @see https://metacpan.org/dist/Noid/view/noid#NOID-CHECK-DIGIT-ALGORITHM
 */
export function checkCharacter(name: string): string {
  const sum = name
    .split('')
    .reduce(
      (total, character, index) => total + Math.max(0, alphabet.indexOf(character)) * (index + 1),
      0,
    )
  return alphabet[sum % alphabet.length] ?? ''
}

/** Whether a text is an ARK whose last character is its check character. */
export function isArk(text: string): boolean {
  const name = /^ark:\/?(\d{5,9}\/[\w=~*+@$.-]+)$/.exec(text)?.[1]
  return name !== undefined && checkCharacter(name.slice(0, -1)) === name.at(-1)
}
