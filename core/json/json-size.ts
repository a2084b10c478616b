import { isJsonArray, isJsonObject, type Json } from './json.ts'

/** Bytes of the canonical text of `value`. */
export function jsonSize(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** True when arrays and objects lie more than `limit` deep within each other; without recursion. */
export function isDeeperThan(value: Json, limit: number): boolean {
  let level: readonly Json[] = [value].filter(isContainer)
  for (let depth = 0; depth < limit && level.length > 0; depth += 1) {
    level = level.flatMap((container) => partsOf(container).filter(isContainer))
  }
  return level.length > 0
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function partsOf(value: Json): readonly Json[] {
  if (isJsonArray(value)) return value
  return isJsonObject(value) ? Object.values(value) : []
}
