import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts'

/**
 * Whether DataCite says of an attribute what is said here. It may say more, and it writes some values
 * its own way: licenses that it knows, and languages without their region.
 *
 * @see https://github.com/datacite/bolognese `lib/bolognese/utils.rb`
 */
export function isSaidByDatacite(name: string, here: Json, there: Json | undefined): boolean {
  if (name === 'language') return isSaid(languageOf(here), languageOf(there ?? null))
  if (name === 'rightsList') return areRightsSaid(listOf(here), listOf(there))
  if (name === 'alternateIdentifiers') return isSaid(listOf(here).filter(isKept), there)
  return isSaid(here, there)
}

function languageOf(value: Json): Json {
  if (typeof value !== 'string') return value
  try {
    return new Intl.Locale(value).language
  } catch {
    return value
  }
}

function areRightsSaid(here: readonly Json[], there: readonly Json[]): boolean {
  if (here.length !== there.length) return false
  return here.every((each, at) => {
    const other = there[at]
    const [own, its] = [identifierOf(each), identifierOf(other)]
    return own === undefined ? isSaid(each, other) : own === its
  })
}

function identifierOf(rights: Json | undefined): string | undefined {
  const identifier = isJsonObject(rights) ? rights['rightsIdentifier'] : undefined
  return typeof identifier === 'string' ? identifier.toLowerCase() : undefined
}

/** A DOI is taken for the one that is asked for, and left out. */
function isKept(alternate: Json): boolean {
  return isJsonObject(alternate) && alternate['alternateIdentifierType'] !== 'DOI'
}

function isSaid(here: Json, there: Json | undefined): boolean {
  if (isJsonArray(here)) {
    const items = listOf(there)
    return items.length === here.length && here.every((each, at) => isSaid(each, items[at]))
  }
  if (isJsonObject(here)) return isJsonObject(there) && isObjectSaid(here, there)
  if (here === null) return there === undefined || there === null || there === ''
  // Numbers of years and degrees come back as text.
  return isPlain(there) && String(here) === String(there)
}

function isObjectSaid(here: JsonObject, there: JsonObject): boolean {
  return Object.entries(here).every(([name, value]) => isSaid(value, there[name]))
}

function isPlain(value: Json | undefined): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : []
}
