import type { Package } from '../../core/index.ts'

/** A package, and how much memory its list of files takes. */
interface Made {
  readonly made: Package
  /** Files in it. */
  readonly files: number
}

/** Files of all packages that are kept: about a kilobyte each. */
const mostFiles = 100_000

/** Packages that are kept. */
const mostPackages = 64

/**
 * Keeps packages that were asked for lately: a client that asks for a thousand ranges of one would
 * else have its descriptions and manifests written a thousand times.
 */
export class KeptPackages {
  readonly #kept = new Map<string, { readonly made: Promise<Made>; files: number }>()
  #files = 0
  /** Ends with the last that is being made: one after another, they take their turns. */
  #last: Promise<unknown> = Promise.resolve()

  /** @param key another one wherever a byte of the package may differ */
  async get(key: string, make: () => Promise<Made>): Promise<Package> {
    const known = this.#kept.get(key)
    if (known !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return (await known.made).made
    }
    const made = this.#last.then(make, make)
    this.#last = made.catch(() => {})
    const kept = { made, files: 0 }
    this.#kept.set(key, kept)
    try {
      const { made: found, files } = await made
      kept.files = files
      this.#files += files
      this.#forgetOldest()
      return found
    } catch (error) {
      this.#kept.delete(key)
      throw error
    }
  }

  #forgetOldest(): void {
    for (const [key, { files }] of this.#kept) {
      if (this.#files <= mostFiles && this.#kept.size <= mostPackages) return
      this.#files -= files
      this.#kept.delete(key)
    }
  }
}
