/** The type of inventories that are written here. @see OCFL 1.1, §3.5 */
export const inventoryType = 'https://ocfl.io/1.1/spec/#inventory'

/** Digests by which an object may name its contents. */
export type ContentAlgorithm = 'sha256' | 'sha512'

/** Paths by digest: hexadecimal digits. */
export type PathsByDigest = Readonly<Record<string, readonly string[]>>

/** `inventory.json` of an object. @see OCFL 1.1, §3.5 */
export interface Inventory {
  readonly id: string
  readonly type: string
  readonly digestAlgorithm: ContentAlgorithm
  /** Name of the latest version: `v3`. */
  readonly head: string
  readonly contentDirectory?: string
  /** Paths of files below the object, such as `v1/content/a.csv`. */
  readonly manifest: PathsByDigest
  readonly versions: Readonly<Record<string, Version>>
  readonly fixity?: Readonly<Record<string, PathsByDigest>>
}

/** A version of an object. */
export interface Version {
  /** RFC 3339, with a time zone. */
  readonly created: string
  readonly message?: string
  readonly user?: VersionUser
  /** Logical paths of its files. */
  readonly state: PathsByDigest
}

export interface VersionUser {
  readonly name: string
  /** A URI. */
  readonly address?: string
}

/** An inventory with its text. */
export interface ReadInventory {
  readonly inventory: Inventory
  readonly text: string
}

/** The text of `inventory.json`, in pieces: an inventory of many versions is long. */
export function* inventoryText({ manifest, versions, ...head }: Inventory): Generator<string> {
  yield `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "manifest": {\n`
  yield* pathsText(manifest, '    ')
  yield '  },\n  "versions": {\n'
  const all = Object.entries(versions)
  for (const [index, [name, { state, ...facts }]] of all.entries()) {
    const said = JSON.stringify(facts, undefined, 2).slice(2, -2).replaceAll('\n', '\n    ')
    yield `    ${JSON.stringify(name)}: {\n    ${said},\n      "state": {\n`
    yield* pathsText(state, '        ')
    yield `      }\n    }${index < all.length - 1 ? ',' : ''}\n`
  }
  yield '  }\n}\n'
}

function* pathsText(paths: PathsByDigest, indent: string): Generator<string> {
  const all = Object.entries(paths)
  for (const [index, [digest, names]] of all.entries()) {
    const comma = index < all.length - 1 ? ',' : ''
    yield `${indent}${JSON.stringify(digest)}: ${JSON.stringify(names)}${comma}\n`
  }
}

/** Number of a version by its name; undefined if it is none. */
export function versionNumber(name: string): number | undefined {
  return /^v\d+$/.test(name) && Number(name.slice(1)) > 0 ? Number(name.slice(1)) : undefined
}

/** Names of all versions of an inventory, oldest first. */
export function versionNames({ versions }: Pick<Inventory, 'versions'>): readonly string[] {
  return Object.keys(versions).toSorted(
    (one, other) => (versionNumber(one) ?? 0) - (versionNumber(other) ?? 0),
  )
}

/** Name of the sidecar file of an inventory. */
export function sidecarName(algorithm: string): string {
  return `inventory.json.${algorithm}`
}

/** The folder of a version that has its files. */
export function contentFolder({ contentDirectory = 'content' }: Partial<Inventory>): string {
  return contentDirectory
}
