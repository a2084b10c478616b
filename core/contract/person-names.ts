/** The parts of a name. */
interface NameParts {
  readonly family: string | undefined
  readonly given: string | undefined
}

/**
 * `Family, Given` in its parts: none of them where it is the name of an organization.
 *
 * @param isPerson true where something else says so, such as an ORCID iD
 */
export function splitName(name: string, isPerson: boolean): NameParts {
  const [before = '', after = '', ...more] = name.split(/\s*,\s*/)
  const isSplit = more.length === 0 && before !== '' && after !== ''
  return isSplit && (isPerson || !isOrganization(name))
    ? { family: before, given: after }
    : { family: undefined, given: undefined }
}

/** True for a name with a word that no person is called by. */
export function isOrganization(name: string): boolean {
  return ofOrganization.test(name)
}

/** Words that no person is called by: `University of California, Berkeley` is no Berkeley. */
const ofOrganization =
  /\b(?:of|for|and|universi\p{L}+|instit\p{L}+|cent(?:er|re)|department|faculty|laborator\p{L}+|agency|ministry|council|society|foundation|project|team|group|collaboration|consortium|inc|ltd|gmbh)\b|&/iu

/** The name as citations sort it; the whole of it where its parts are not known. */
export function sortedName(whole: string, { family, given }: NameParts): string {
  return family === undefined || given === undefined ? whole : `${family}, ${given}`
}
