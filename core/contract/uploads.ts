import { withoutFolders } from './file-key.ts'

/** Fields of `Upload-Metadata` by name; null for a name without a value. */
export type UploadFields = Readonly<Record<string, string | null>>

/** The value of `Upload-Metadata`: names, each with a value in Base64, with commas between. */
export function formatFields(fields: UploadFields): string {
  return Object.entries(fields)
    .map(([name, value]) => (value === null ? name : `${name} ${toBase64(value)}`))
    .join(',')
}

/** Parses the header that {@link formatFields} makes. */
export function parseFields(header: string): UploadFields {
  const pairs = header.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', value] = pair.trim().split(' ')
      return [name, value === undefined ? null : fromBase64(value)] as const
    }),
  )
}

/** The name of the file: `name`, a path, or else `filename` without its folders; empty for none. */
export function nameIn({ name, filename }: UploadFields): string {
  const path = name ?? ''
  return path === '' ? withoutFolders(filename ?? '') : path
}

/** The file of an upload, as this package's programs identify it. */
export interface UploadedFile {
  readonly key: string
  /** Milliseconds since 1970. */
  readonly changed: number
  /** Makes a new version of an existing file. */
  readonly replace: boolean
}

export function fieldsOf({ key, changed, replace }: UploadedFile): UploadFields {
  return { name: key, changed: String(changed), replace: String(replace) }
}

/**
 * True if an upload was begun for the same state of the same file. Browsers only know whole
 * milliseconds.
 */
export function isOfFile(fields: UploadFields, { key, changed, replace }: UploadedFile): boolean {
  return (
    fields['name'] === key &&
    Math.floor(Number(fields['changed'] ?? NaN)) === Math.floor(changed) &&
    (fields['replace'] === 'true') === replace
  )
}

/** Asks that the file that is replaced goes among the deleted ones, from where it can be brought back. */
export const replacedIntoTrash: UploadFields = { replaced: 'trash' }

/** Whether an upload asks for it. @see replacedIntoTrash */
export function trashesReplaced({ replaced }: UploadFields): boolean {
  return replaced === 'trash'
}

function toBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)))
}

function fromBase64(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    Uint8Array.from(atob(text), (byte) => byte.codePointAt(0) ?? 0),
  )
}

/** Files in a bundle: small files in one request, stored all or none. */
export const maxBundleFiles = 100

/** Bytes of each file in a bundle. */
export const maxBundledBytes = 64 * 1024
