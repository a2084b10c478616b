/** A file of a tree. */
export interface TreeFile {
  /** Below the root of the tree, with slashes. */
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** The files of an object, in a folder or in an archive. */
export interface Tree {
  readonly files: readonly TreeFile[]
  /** All folders, without a slash at the end. */
  readonly folders: ReadonlySet<string>
  /** Names that cannot be in an object, such as links. */
  readonly faults: readonly { readonly field: string; readonly message: string }[]
  readonly read: (file: TreeFile) => AsyncIterable<Buffer>
}
