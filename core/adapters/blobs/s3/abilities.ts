import { randomUUID } from 'node:crypto'
import { areFilesAway } from '../../../errors/errors.ts'
import type { Bucket } from './bucket.ts'
import { hexToBase64, sha256Of } from './content-digests.ts'
import { isTaken } from './s3-errors.ts'

/** Request headers that a store honours; other stores accept and ignore them. */
export interface Abilities {
  /** Compares the SHA-256 that comes with an object, refuses a wrong one, and tells it again. */
  readonly checksums: boolean
  /** Honours `If-None-Match: *`: refuses to replace an object. */
  readonly conditionalWrites: boolean
}

const sample = Buffer.from('deposit')

/** Finds out what the store honours, with an object that is removed again. */
export async function probe(bucket: Bucket): Promise<Abilities> {
  const key = `probe/${randomUUID()}`
  try {
    await bucket.put(key, sample)
    return {
      checksums: await comparesChecksums(bucket, key),
      conditionalWrites: await refusesToReplace(bucket, key),
    }
  } finally {
    await bucket.delete(key)
  }
}

/** Warnings for the operator of a store that honours less. */
export function describeLacks({ checksums, conditionalWrites }: Abilities): readonly string[] {
  return [
    ...(checksums ? [] : [lacksChecksums]),
    ...(conditionalWrites ? [] : [lacksConditionalWrites]),
  ]
}

const lacksChecksums =
  'The store of files does not compare SHA-256 checksums: each file is read back before it is acknowledged.'
const lacksConditionalWrites =
  'The store of files does not honour If-None-Match on writes: that no object is replaced rests on their names alone.'

async function comparesChecksums(bucket: Bucket, key: string): Promise<boolean> {
  const wrong = hexToBase64('00'.repeat(32))
  if (!(await isRefused(() => bucket.put(key, sample, { checksum: wrong })))) return false
  const checksum = sha256Of(sample)
  await bucket.put(key, sample, { checksum })
  return (await bucket.head(key))?.checksum === checksum
}

async function refusesToReplace(bucket: Bucket, key: string): Promise<boolean> {
  try {
    await bucket.put(key, sample, { isNew: true })
    return false
  } catch (error) {
    return isTaken(error)
  }
}

async function isRefused(task: () => Promise<void>): Promise<boolean> {
  try {
    await task()
    return false
  } catch (error) {
    if (areFilesAway(error)) throw error
    return true
  }
}
