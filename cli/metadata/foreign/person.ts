import { filled, textOf, type Foreign } from './values.ts'

interface Person {
  /** In full, where it is known so. */
  readonly name?: unknown
  readonly given?: unknown
  readonly family?: unknown
  readonly orcid?: unknown
  readonly affiliation: readonly string[]
}

/** A creator of ours; undefined where there is no name. */
export function toPerson(person: Person): Foreign | undefined {
  const [given, family] = [textOf(person.given), textOf(person.family)]
  const parts = [family, given].filter((part) => part !== undefined)
  const name = textOf(person.name) ?? (parts.length === 0 ? undefined : parts.join(', '))
  if (name === undefined) return undefined
  return filled({
    name,
    given_name: given,
    family_name: family,
    orcid: orcidOf(textOf(person.orcid)),
    affiliation: person.affiliation,
  })
}

function orcidOf(text: string | undefined): string | undefined {
  return /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/.exec(text ?? '')?.[0]
}
