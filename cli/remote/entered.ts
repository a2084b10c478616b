import { digestOfMetadata } from './push-journal.ts'
import type { Copy } from './port/repository.ts'
import { objectOf, type Foreign } from './port/values.ts'

/** Names what people have entered in a copy; undefined where each change makes a version. */
export function digestOfEntered({ entered }: Copy): string | undefined {
  return entered && digestOfMetadata(settled(entered))
}

/** Whether the draft of a next version is as the repository made it: nobody has worked on it. */
export function isUntouched(draft: Copy, base: Copy): boolean {
  if (draft.entered === undefined || base.entered === undefined) return true
  const [now, then] = [draft.entered, base.entered].map((each) => digestOfMetadata(inherited(each)))
  const isOld = ({ name, size, md5 }: Copy['files'][number]): boolean =>
    base.files.some((file) => file.name === name && file.size === size && file.md5 === md5)
  // Some repositories begin without files.
  const hasFiles = draft.files.length > 0
  const isSame = draft.files.length === base.files.length && draft.files.every(isOld)
  return now === then && (isSame || !hasFiles)
}

/** Repositories leave these out of the draft of a new version, or set them. */
function inherited({ publication_date: _, version: __, ...entered }: Foreign): unknown {
  const { publication_date: ___, version: ____, ...metadata } = objectOf(entered['metadata'])
  return settled({ ...entered, metadata })
}

/** With its fields in one order, and without empty ones: answers differ in these. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, each]: readonly [string, unknown]) => [name, settled(each)] as const)
    .filter(([, each]) => !isEmpty(each))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}
