import type { Workshop } from '../workshop.ts'

/** A server, or a command, that does what ours does. */
export interface Peer {
  readonly name: string
  /** What it waits for before it answers, as far as that differs. */
  readonly says: string
  /** Why it cannot be measured here; undefined if it can. */
  readonly obstacle: () => string | undefined
  /** Starts it, owned by `stack`. */
  readonly start: (workshop: Workshop, stack: AsyncDisposableStack) => Promise<Works>
}

/** What it can do: each resolves when it is done. */
export interface Works {
  /** Sends a file under a name. */
  readonly send?: (file: string, name: string) => Promise<unknown>
  /** Fetches the file of that name. */
  readonly fetch?: (name: string) => Promise<unknown>
  /** Sends so many files of 4 KiB on sixteen connections; `run` is another each time. */
  readonly sendMany?: (count: number, run: string) => Promise<unknown>
  /** Sends a folder by a command; `run` is another each time. */
  readonly sendFolder?: (folder: string, run: string) => Promise<unknown>
}
