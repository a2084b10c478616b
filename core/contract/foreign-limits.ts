/** Of answers of our interfaces for clients of other services: what a deposit may have here. */
export const limitsHeader = 'deposit-limits'

/**
 * Of requests of programs that read {@link limitsHeader}: `?1` lets names of files have slashes. Scripts
 * written for another service do not send it, and are refused as they would be there.
 */
export const foldersHeader = 'deposit-folders'

/** What a deposit of our own service may have. */
export interface OwnLimits {
  /** Files of a deposit. */
  readonly files: number
  /** Bytes of a file. */
  readonly fileSize: number
  /** Bytes of all files of the user. */
  readonly quota: number
}

/**
 * A dictionary: `files=10000, file-size=1099511627776, quota=53687091200, folders, empty-files`.
 *
 * @see RFC 9651, section 3.2
 */
export function writeLimits({ files, fileSize, quota }: OwnLimits): string {
  const numbers = { files, 'file-size': fileSize, quota }
  const finite = Object.entries(numbers).filter(([, value]) => Number.isSafeInteger(value))
  return [...finite.map(([name, value]) => `${name}=${value}`), 'folders', 'empty-files'].join(', ')
}

/** Undefined of a header that our service did not write. */
export function parseLimits(header: string | undefined): OwnLimits | undefined {
  const parts = (header ?? '').split(',').map((part) => part.trim())
  if (!parts.includes('folders') || !parts.includes('empty-files')) return undefined
  const numbers = new Map(
    parts.flatMap((part) => {
      const [, name, digits] = /^([a-z-]+)=(\d{1,15})$/.exec(part) ?? []
      return name === undefined ? [] : [[name, Number(digits)] as const]
    }),
  )
  const of = (name: string): number => numbers.get(name) ?? Infinity
  return { files: of('files'), fileSize: of('file-size'), quota: of('quota') }
}
