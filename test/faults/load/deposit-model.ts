/** A metadata document without `$schema` and `_deposit`. */
export type Document = Readonly<Record<string, unknown>>

/** A file as its owner sees it. */
export interface FileModel {
  readonly key: string
  /** SHA-256 of each version, the latest one last. */
  readonly versions: readonly string[]
  /** Of a deleted file: it was the last one, and would be the last one again if it were brought back. */
  readonly wasLast?: true
}

/** The last published state of a deposit. */
export interface Published {
  readonly document: Document
  /** Keys in the public order. */
  readonly order: readonly string[]
  /** Revision of the record. */
  readonly edition: number
}

/**
 * The state of a deposit that a client must find, whatever happened to the daemon. It holds only
 * data from the client's own requests, so it can be predicted without an answer.
 */
export interface DepositModel {
  readonly status: 'draft' | 'published' | 'deleted'
  readonly document: Document
  readonly files: readonly FileModel[]
  readonly published?: Published
  /** Roles by e-mail address, without the first owner. */
  readonly people: Readonly<Record<string, string>>
  /** Labels of the links that are good, in their alphabetical order. */
  readonly links: readonly string[]
  /** Deleted files that can be brought back, by their keys; those of a published deposit are not looked at. */
  readonly trash: readonly FileModel[]
  readonly isSubmitted: boolean
}

const unshared = { people: {}, links: [], trash: [], isSubmitted: false } as const

export function draftOf(document: Document, files: readonly FileModel[] = []): DepositModel {
  return { status: 'draft', document, files, ...unshared }
}

export const withDocument = (model: DepositModel, document: Document): DepositModel => ({
  ...model,
  document,
})

/** With a new file under `key`, or a new version of the existing one. */
export function withFile(model: DepositModel, key: string, version: string): DepositModel {
  const present = model.files.some((file) => file.key === key)
  const files = present
    ? model.files.map((file) =>
        file.key === key ? { key, versions: [...file.versions, version] } : file,
      )
    : [...model.files, { key, versions: [version] }]
  return { ...model, files }
}

export function withoutFile(model: DepositModel, key: string): DepositModel {
  const wasLast = model.files.at(-1)?.key === key && ({ wasLast: true } as const)
  const gone = model.files.filter((file) => file.key === key)
  return {
    ...model,
    files: model.files.filter((file) => file.key !== key),
    trash: byKey([...withoutPlaces(model.trash), ...gone.map((file) => ({ ...file, ...wasLast }))]),
  }
}

/** Once another file has gone or come back, what was last may come back before others. */
const withoutPlaces = (trash: readonly FileModel[]): readonly FileModel[] =>
  trash.map(({ wasLast: _, ...file }) => file)

/** Keys of deleted files whose place is known if they are brought back: others depend on what was free. */
export function restorable({ trash }: DepositModel): readonly string[] {
  return trash.filter(({ wasLast }) => wasLast).map(({ key }) => key)
}

/** As a last file. */
export const restored = (model: DepositModel, key: string): DepositModel => ({
  ...model,
  files: [
    ...model.files,
    ...model.trash.filter((file) => file.key === key).map(({ wasLast: _, ...file }) => file),
  ],
  trash: withoutPlaces(model.trash.filter((file) => file.key !== key)),
})

export function byKey(files: readonly FileModel[]): readonly FileModel[] {
  return files.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

export const withPerson = (model: DepositModel, email: string, role: string): DepositModel => ({
  ...model,
  people: { ...model.people, [email]: role },
})

export const withoutPerson = (model: DepositModel, email: string): DepositModel => ({
  ...model,
  people: Object.fromEntries(Object.entries(model.people).filter(([each]) => each !== email)),
})

export const withLink = (model: DepositModel, label: string): DepositModel => ({
  ...model,
  links: [...model.links, label].toSorted(),
})

export const withoutLink = (model: DepositModel, label: string): DepositModel => ({
  ...model,
  links: model.links.filter((each) => each !== label),
})

export const submitted = (model: DepositModel): DepositModel => ({ ...model, isSubmitted: true })

export const takenBack = (model: DepositModel): DepositModel => ({ ...model, isSubmitted: false })

export const accepted = (model: DepositModel): DepositModel => published(takenBack(model))

export const renamed = (model: DepositModel, from: string, to: string): DepositModel => ({
  ...model,
  files: model.files.map((file) => (file.key === from ? { ...file, key: to } : file)),
})

export const sorted = (model: DepositModel, keys: readonly string[]): DepositModel => ({
  ...model,
  files: keys.flatMap((key) => model.files.filter((file) => file.key === key)),
})

export function published(model: DepositModel): DepositModel {
  const edition = model.published ? model.published.edition + 1 : 0
  const order = model.files.map(({ key }) => key)
  return {
    ...model,
    status: 'published',
    published: { document: model.document, order, edition },
    trash: [],
  }
}

/** Opened for changes; otherwise the same. */
export const edited = (model: DepositModel): DepositModel => ({ ...model, status: 'draft' })

export function discarded(model: DepositModel): DepositModel {
  const { document = {}, order = [] } = model.published ?? {}
  return { ...sorted(withDocument(model, document), order), status: 'published' }
}

export const deleted = (): DepositModel => ({
  status: 'deleted',
  document: {},
  files: [],
  ...unshared,
})

/** A new draft with the people and the contents of the record, and only the latest version of each file. */
export function newVersionOf({ files, published: last, people }: DepositModel): DepositModel {
  const { document = {}, order = [] } = last ?? {}
  const carried = order.flatMap((key) => files.filter((file) => file.key === key))
  const newest = carried.map(({ key, versions }) => ({ key, versions: versions.slice(-1) }))
  return { ...draftOf(document, newest), people }
}
