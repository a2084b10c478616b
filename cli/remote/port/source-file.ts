import type { Readable } from 'node:stream'

/** A file on this side. */
export interface SourceFile {
  /** With slashes. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Changes when its bytes do: a digest, or a time. */
  readonly stamp: string
  readonly type: string
  /** Of a file of the disk. */
  readonly path?: string
  /** All bytes of a small one, in one reading. */
  readonly bytes?: () => Promise<Buffer>
  /** Its bytes from `from` up to `to`, which is not read. */
  readonly open: (from?: number, to?: number) => Promise<Readable>
}
