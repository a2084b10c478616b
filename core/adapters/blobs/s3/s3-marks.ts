import { randomUUID } from 'node:crypto'
import type {
  ServiceMark,
  StoreMarks,
  StoreUse,
  StoreUses,
  Whereabouts,
} from '../../../ports/store-marks.ts'
import { areFilesAway } from '../../../errors/errors.ts'
import { isJsonObject, type Json } from '../../../base/json.ts'
import type { Bucket, ListedObject } from './bucket.ts'
import { isConflict, isTaken } from './s3-errors.ts'

const markKey = 'service.json'
const usesFolder = 'daemons/'

/**
 * The mark as an object `service.json`, and an object `daemons/<id>.json` for each process that uses
 * the store.
 *
 * @param bucket is closed with them
 * @param name of the store, for an operator
 */
export function openS3Marks(bucket: Bucket, name: string): StoreMarks {
  return {
    name: `${name.replace(/\/$/, '')}/${markKey}`,
    textOf: (mark) => JSON.stringify(mark),
    read: async () => {
      if (!bucket.isThere) return undefined
      const found = await bucket.get(markKey)
      return found && parseMark(found)
    },
    write: async (mark, { isNew = false } = {}) => {
      const text = JSON.stringify(mark)
      try {
        await bucket.put(markKey, text, { isNew })
      } catch (error) {
        if (!isNew || areFilesAway(error)) throw error
        if (isTaken(error) || isConflict(error)) return false
        // Some stores do not know the condition.
        await bucket.put(markKey, text)
      }
      return true
    },
    remove: () => bucket.delete(markKey),
    ...(bucket.isThere && { uses: usesOf(bucket) }),
    [Symbol.asyncDispose]: async () => bucket[Symbol.dispose](),
  }
}

function usesOf(bucket: Bucket): StoreUses {
  const own = `${usesFolder}${randomUUID()}.json`
  const listOthers = async () => {
    const all: ListedObject[] = []
    for await (const object of bucket.list(usesFolder)) all.push(object)
    // Both times are the store's: the clocks of the machines may differ.
    const now = all.find(({ key }) => key === own)?.modified ?? new Date()
    return all
      .filter(({ key }) => key !== own)
      .map(({ key, modified }) => ({
        key,
        ageMs: now.getTime() - modified.getTime(),
        seen: modified.toISOString(),
      }))
  }
  return {
    renew: (user) => bucket.put(own, JSON.stringify(user)),
    others: async () => {
      const uses: StoreUse[] = []
      for (const { key, ...seen } of await listOthers()) {
        const bytes = await bucket.get(key)
        const found = bytes && parse(bytes)
        const daemon = textIn(found, 'daemon')
        // Earlier versions did not say what they were.
        const program = textIn(found, 'program', 'depositd')
        const run = textIn(found, 'run', '')
        if (bytes) uses.push({ ...whereaboutsIn(found), daemon, program, run, id: key, ...seen })
      }
      return uses
    },
    forget: async (longest) => {
      for (const { key, ageMs } of await listOthers()) if (ageMs > longest) await bucket.delete(key)
    },
    end: () => bucket.delete(own),
  }
}

/** One that cannot be read is the mark of no service that is known. */
function parseMark(bytes: Buffer): ServiceMark {
  const found = parse(bytes)
  const textOf = (name: string): string => textIn(found, name)
  const elsewhere = textIn(found, 'elsewhere', '')
  const last = isJsonObject(found) ? found['last'] : undefined
  const run = textIn(last, 'run', '')
  return {
    service: textOf('service'),
    since: textOf('since'),
    ...whereaboutsIn(found),
    ...(elsewhere !== '' && { elsewhere }),
    ...(run !== '' && { last: { run, since: textIn(last, 'since'), ...whereaboutsIn(last) } }),
  }
}

function whereaboutsIn(found: Json | undefined): Whereabouts {
  return { host: textIn(found, 'host'), home: textIn(found, 'home') }
}

function textIn(found: Json | undefined, name: string, otherwise = 'unknown'): string {
  const value = isJsonObject(found) ? found[name] : undefined
  return typeof value === 'string' ? value : otherwise
}

function parse(bytes: Buffer): Json | undefined {
  try {
    return JSON.parse(bytes.toString()) as Json
  } catch {
    return undefined
  }
}
