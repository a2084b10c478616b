/** What a client says of a file it uploads, by name; null for a name without a value. */
export type UploadFields = Readonly<Record<string, string | null>>

/** The value of `Upload-Metadata`: names, each with a value in Base64, with commas between. */
export function formatFields(fields: UploadFields): string {
  return Object.entries(fields)
    .map(([name, value]) => (value === null ? name : `${name} ${toBase64(value)}`))
    .join(',')
}

/** The fields of a header that {@link formatFields} could have made. */
export function parseFields(header: string): UploadFields {
  const pairs = header.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', value] = pair.trim().split(' ')
      return [name, value === undefined ? null : fromBase64(value)] as const
    }),
  )
}

/** The file that an upload is to become, as the programs of this package tell files apart. */
export interface UploadedFile {
  readonly key: string
  /** Milliseconds since 1970. */
  readonly changed: number
  /** Whether it makes a new version of a file that is there already. */
  readonly replace: boolean
}

export function fieldsOf({ key, changed, replace }: UploadedFile): UploadFields {
  return { name: key, changed: String(changed), replace: String(replace) }
}

/**
 * True where an upload was begun for the same state of the same file. Browsers know whole
 * milliseconds only.
 */
export function isOfFile(fields: UploadFields, { key, changed, replace }: UploadedFile): boolean {
  return (
    fields['name'] === key &&
    Math.floor(Number(fields['changed'] ?? NaN)) === Math.floor(changed) &&
    (fields['replace'] === 'true') === replace
  )
}

function toBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)))
}

function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (byte) => byte.codePointAt(0) ?? 0))
}

/**
 * What a bundle holds: small files that come in one request, and are stored all or none. Where a
 * request for each costs more than to store it, a folder of thousands takes a fraction of the time.
 */

/** Files of a bundle. */
export const maxBundleFiles = 100

/** Bytes of each of them. */
export const maxBundledBytes = 64 * 1024
