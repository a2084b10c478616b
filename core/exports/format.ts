import type { Description } from '../describe/description.ts'

/** A format that a record can be had in. */
export interface ExportFormat {
  /** Last part of its address. */
  readonly name: string
  /** For people. */
  readonly title: string
  /** Media types that ask for it, with their parameters; it is sent as the first. */
  readonly mediaTypes: readonly string[]
  /** True of a format whose media type is that of others: it is asked for by its name alone. */
  readonly byNameOnly?: true
  /** Address of what it follows, for links to it. */
  readonly profile?: string
  /** Name of the file, where programs look for one; else it is the record's, with `extension`. */
  readonly filename?: string
  /** Stands between the name of the record and `extension`, so that no two formats have one name. */
  readonly suffix?: string
  /** With its dot. */
  readonly extension: string
  /** Values of the parameter `style`, the first without one. */
  readonly styles?: readonly string[]
  /** Writes any description without fail. */
  readonly write: (description: Description, style?: string) => string
}

/** Name of the file that a record is saved under. */
export function filenameOf({ filename, suffix = '', extension }: ExportFormat, id: string): string {
  return filename ?? `${id.replaceAll(/[^\w.-]/g, '_')}${suffix}${extension}`
}

/** A JSON document for people and programs. Fields without a value are left out. */
export function toJsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** The metadata that a description in another format carries, and whose they are. */
export function copiedFrom({ catalog, url, document }: Description) {
  return { service: catalog.url, record: url, document }
}

/** The list; undefined, which JSON leaves out, where it is empty. */
export function some<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list
}

/** DataCite's code for a value that is mandatory and not known. */
export const unavailable = ':unav'

/** Where a work is read that is cited; undefined where only its authors can read it. */
export function publicAddress({ standing, citedAs }: Description): string | undefined {
  return standing === 'private' ? undefined : citedAs
}

/** Said in citations of what nobody else can read yet. */
export function standingNote({ standing }: Description): string | undefined {
  return standing === 'public' ? undefined : notes[standing]
}

const notes = {
  reserved: 'DOI not registered yet',
  private: 'Draft, not published',
} as const

/** Name of a record without a title, in formats that demand one. */
export const untitled = 'Untitled'
