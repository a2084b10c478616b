/** English phrases and what they are in another language; words in braces stand for any text. */
export type Phrases = Readonly<Record<string, string>>

/** A phrase with places for other text, and what it becomes. */
interface Pattern {
  readonly form: RegExp
  readonly becomes: string
}

/** Characters. Longer text is what others wrote, and costs time to compare. */
const longestPhrase = 400

const patternsOf = new WeakMap<Phrases, readonly Pattern[]>()

/**
 * The phrase in the other language; one that is not known stays as it is.
 *
 * @param say tells what stands in a place and is no phrase, such as an amount
 */
export function translatePhrase(
  phrases: Phrases,
  phrase: string,
  say: (part: string) => string = (part) => part,
): string {
  const whole = Object.hasOwn(phrases, phrase) ? phrases[phrase] : undefined
  if (whole !== undefined) return whole
  if (phrase.length > longestPhrase) return phrase
  const known = patternsOf.get(phrases) ?? toPatterns(phrases)
  patternsOf.set(phrases, known)
  for (const { form, becomes } of known) {
    const found = form.exec(phrase)
    if (found) {
      return becomes.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        // A label or a kind of value in a sentence is a phrase too.
        inside(phrases, found.groups?.[name] ?? '', say),
      )
    }
  }
  return phrase
}

/** What stands in a place of a pattern: a known phrase or any text. */
function inside(phrases: Phrases, part: string, say: (part: string) => string): string {
  return (Object.hasOwn(phrases, part) ? phrases[part] : undefined) ?? say(part)
}

function toPatterns(phrases: Phrases): readonly Pattern[] {
  return Object.entries(phrases)
    .filter(([phrase]) => /\{\w+\}/.test(phrase))
    .map(([phrase, becomes]) => ({ form: toForm(phrase), becomes }))
}

function toForm(phrase: string): RegExp {
  const parts = phrase.split(/\{(\w+)\}/)
  const source = parts.map((part, at) => (at % 2 === 1 ? `(?<${part}>.*?)` : escaped(part)))
  return new RegExp(`^${source.join('')}$`, 's')
}

function escaped(part: string): string {
  return part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
