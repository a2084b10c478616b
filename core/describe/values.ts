import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts'

/** Control characters, which no format can hold, and code points that are no characters. */
const illegal = /(?![\t\n\r])[\p{Cc}\p{Noncharacter_Code_Point}]/gu

/** A text of several lines; undefined where there is none. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const clean = value.toWellFormed().replaceAll(illegal, '').replaceAll(/\r\n?/g, '\n').trim()
  return clean === '' ? undefined : clean
}

/** As {@link textOf}, on one line. */
export function lineOf(value: Json | undefined): string | undefined {
  return textOf(value)?.replaceAll(/\s+/gu, ' ')
}

/** The elements; a single value counts as a list of one. */
export function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  return isJsonArray(value) ? value : [value]
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject)
}

/** Lines without those that are the same. */
export function linesOf(value: Json | undefined): readonly string[] {
  return [...new Set(listOf(value).flatMap((item) => lineOf(item) ?? []))]
}

/** The web address in ASCII, as every format takes it; undefined for other text. */
export function webAddress(value: Json | undefined): string | undefined {
  const text = textOf(value)
  if (text === undefined || !/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, host, username, password, pathname, search, hash } = new URL(text)
  if (username !== '' || password !== '') return undefined
  return `${protocol}//${host}${(pathname + search + hash)
    .replaceAll(/[<>"'{}|\\^`[\]]/g, encode)
    .replaceAll(/%(?![\da-f]{2})/gi, '%25')}`
}

/** `encodeURIComponent` leaves the apostrophe. */
function encode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
