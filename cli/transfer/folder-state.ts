import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'

/** A folder as it was found, by names, sizes, times and inodes of its files. */
export interface FolderState {
  /** Another one as soon as any of them changes, other names are ignored, or another user asks. */
  readonly digest: string
  /** Between the last change of a file and the look at it. Milliseconds. */
  readonly restMs: number
}

/** Numbers of a file in {@link Facts}. */
const factsOfFile = 5

/**
 * Sizes, times, inodes and devices of files: numbers in one block, which no collection of garbage has
 * to look at, and no hash to be given as text.
 */
export class Facts {
  #numbers = new Float64Array(64 * factsOfFile)
  #length = 0

  add({ size, mtimeMs, ctimeMs, ino, dev }: Stats): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    const numbers = this.#numbers
    const at = this.#length
    numbers[at] = size
    numbers[at + 1] = mtimeMs
    numbers[at + 2] = ctimeMs
    numbers[at + 3] = ino
    numbers[at + 4] = dev
    this.#length = at + factsOfFile
  }

  all(): Float64Array {
    return this.#numbers.subarray(0, this.#length)
  }
}

/** Undefined where files have no facts. */
export function stateOf(
  { files, facts }: { readonly files: readonly { readonly name: string }[]; readonly facts: Facts },
  patterns: readonly string[],
  now: number,
): FolderState | undefined {
  const numbers = facts.all()
  if (numbers.length < files.length * factsOfFile) return undefined
  let changedMs = 0
  for (let at = 0; at < numbers.length; at += factsOfFile)
    changedMs = Math.max(changedMs, numbers[at + 1] ?? 0, numbers[at + 2] ?? 0)
  const user = [process.getuid?.(), process.getgid?.(), process.getgroups?.()]
  const names = files.map(({ name }) => name).join('\0')
  const digest = createHash('sha256')
    .update(`${JSON.stringify([user, patterns])}\0${names}\0`)
    .update(numbers)
    .digest('hex')
  return { digest, restMs: now - changedMs }
}
