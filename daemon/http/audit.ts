import { isProblem, type AuditEntry, type Database } from '../../core/index.ts'

/**
 * The part of the audit trail that is written beside the work: refusals, sign-ins, and commands that
 * changed nothing. What changes something is noted in the unit of work that changes it.
 */
export interface Audit extends AsyncDisposable {
  readonly note: (entry: AuditEntry) => void
  /** Writes what was noted so far, as before the trail is read. */
  readonly flush: () => Promise<void>
}

/** Time between two writes. Milliseconds. */
const gatherMs = 2000

/** Entries that wait at most, as while the database is away. */
const mostWaiting = 10_000

/** Entries in one unit of work. */
const mostAtOnce = 200

/** Gathers entries in memory: a crash loses those of the last two seconds. */
export function gatherAudit(
  { write }: Pick<Database, 'write'>,
  report: (error: unknown) => void,
): Audit {
  const waiting = new Map<string, AuditEntry>()
  let lost = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const writeAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const some = [...waiting].slice(0, mostAtOnce)
      for (const [key] of some) waiting.delete(key)
      try {
        await write((unit) => unit.audit.add(some.map(([, entry]) => entry)))
      } catch (error) {
        for (const [key, entry] of some) if (!waiting.has(key)) waiting.set(key, entry)
        // A database that is away, or full, says so itself.
        if (!isProblem(error)) report(error)
        return
      }
    }
    if (lost > 0)
      report(new Error(`${lost} refusals are not in the audit trail: there were too many.`))
    lost = 0
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeAll)
    return writing
  }
  return {
    note: (entry) => {
      const key = keyOf(entry)
      const known = waiting.get(key)
      if (known) waiting.set(key, { ...known, times: (known.times ?? 1) + 1 })
      else if (waiting.size < mostWaiting) waiting.set(key, entry)
      else lost += 1
      timer ??= setTimeout(() => void flush(), gatherMs).unref()
    },
    flush,
    [Symbol.asyncDispose]: flush,
  }
}

/** The deed of one who opens a link to a deposit, which needs no account. */
export const openedLink = 'opened a link'

/**
 * Refusals that differ by their path alone are counted in one entry, and so are openings of a link:
 * else a flood fills the disk. Of others, only those that are the same in everything: a client
 * chooses the id of its request, so that alone says nothing.
 */
function keyOf(entry: AuditEntry): string {
  const { who, from, what, status, failed, request_id: id } = entry
  const isRefusal = status !== undefined && status >= 400
  return isRefusal || what === openedLink
    ? JSON.stringify([who, from, what, status, failed])
    : JSON.stringify(id === undefined ? Math.random() : entry)
}
