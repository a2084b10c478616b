import { digestOfMetadata } from './push-journal.ts'
import { objectOf } from './port/values.ts'

interface PulledFile {
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly md5?: string | undefined
}

/**
 * A record as it is pulled, as a text: a digest of each field and file.
 *
 * @param place as in `placeOf`: the interfaces of a service tell the same metadata in different ways
 */
export function stateOf(
  place: string,
  metadata: Readonly<Record<string, unknown>>,
  files: readonly PulledFile[],
): string {
  const fields = Object.entries(metadata).map(([name, value]) => [name, digestOf(value)] as const)
  const sums = files.map(({ key, size, md5 }) => [key, digestOf([size, md5 ?? ''])] as const)
  const { files: limit = 'public' } = objectOf(metadata['access'])
  return JSON.stringify({
    place,
    access: { access: limit },
    fields: Object.fromEntries(fields),
    files: Object.fromEntries(sums),
  })
}

/**
 * Names of fields and files that differ, came or went.
 *
 * @param before undefined where nobody noted it
 */
export function differencesOf(before: string | undefined, now: string): readonly string[] {
  if (before === undefined) return []
  const [old, held] = [before, now].map((text) => objectOf(JSON.parse(text)))
  const parts = ['access', ...(old?.['place'] === held?.['place'] ? ['fields'] : []), 'files']
  const names = parts.flatMap((part) => {
    const [was, is] = [objectOf(old?.[part]), objectOf(held?.[part])]
    return Object.keys({ ...was, ...is }).filter((name) => was[name] !== is[name])
  })
  return [...new Set(names)]
}

function digestOf(value: unknown): string {
  return digestOfMetadata(value).slice(0, 16)
}
