import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import { startStrictS3, type StrictS3 } from '../support/strict-s3.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** A bucket of its own, and what is in it. */
export function newBucket(s3: StrictS3) {
  const name = crypto.randomUUID()
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  const keys = (folder: string): readonly string[] =>
    [...s3.objects.keys()].filter((key) => key.startsWith(`${name}/${folder}`)).sort()
  const put = (key: string, text: string, modified = new Date()): void => {
    const object = { bytes: Buffer.from(text), checksum: '', modified }
    s3.objects.set(`${name}/lab/${key}`, object)
  }
  return {
    env: { DEPOSIT_STORAGE_URL: `s3://${name}/lab?endpoint=${s3.endpoint}&region=x` },
    keys: (folder = '') => keys(`lab/${folder}`),
    mark: `s3://${name}/lab/service.json`,
    markText: () => s3.objects.get(`${name}/lab/service.json`)?.bytes.toString(),
    put,
    /** The texts that processes which use it have written. */
    uses: () =>
      keys('lab/daemons/').map(
        (key) => JSON.parse(s3.objects.get(key)?.bytes.toString() ?? '{}') as object,
      ),
    remove: (key: string) => s3.objects.delete(`${name}/lab/${key}`),
    /** Runs `work` right before an object whose key begins so is next written. */
    whenWritten: (start: string, work: () => void) => {
      const { objects } = s3
      const set = objects.set.bind(objects)
      objects.set = (key, object) => {
        if (key.startsWith(`${name}/lab/${start}`)) {
          objects.set = set
          work()
        }
        return set(key, object)
      }
    },
    removeMark: () => s3.objects.delete(`${name}/lab/service.json`),
    takeMarkOf: (other: { readonly mark: string }) => {
      const mark = s3.objects.get(other.mark.slice('s3://'.length))
      if (mark) s3.objects.set(`${name}/lab/service.json`, mark)
    },
    takeAllOf: (other: { readonly mark: string }, folder = '') => {
      const prefix = other.mark.slice('s3://'.length).replace('service.json', '')
      for (const [key, object] of s3.objects) {
        if (!key.startsWith(prefix + folder)) continue
        s3.objects.set(`${name}/lab/${key.slice(prefix.length)}`, object)
      }
    },
    removeAll: () => {
      for (const key of keys('lab/')) s3.objects.delete(key)
    },
    /** Keeps the texts of processes that use it, as a crash does. */
    keepUses: () => {
      for (const key of keys('lab/daemons/')) {
        const object = s3.objects.get(key)
        if (object) s3.objects.set(key.replace(/[^/]+$/, 'crashed.json'), object)
      }
    },
    /** Makes all processes that use it as old as that. */
    age: (ms: number) => ageAll(s3, keys('lab/daemons/'), ms),
    ageBlobs: (ms: number) => ageAll(s3, keys('lab/blobs/'), ms),
  }
}

function ageAll({ objects }: StrictS3, keys: readonly string[], ms: number): void {
  for (const key of keys) {
    const object = objects.get(key)
    if (object) objects.set(key, { ...object, modified: new Date(Date.now() - ms) })
  }
}

export type Bucket = ReturnType<typeof newBucket>

/** Starts an S3 server for the tests of a file; answers what makes a bucket for one of them. */
export function useBuckets(): () => Bucket {
  let s3: StrictS3
  beforeAll(async () => {
    s3 = await startStrictS3()
  })
  afterAll(() => s3[Symbol.asyncDispose]())
  afterEach(() => vi.unstubAllEnvs())
  return () => newBucket(s3)
}

/** Publishes a record in a bucket and leaves a draft; returns the daemon. */
export async function filledDaemon({ env, keys }: Bucket, home: string) {
  const daemon = await testDaemon({ home, env })
  const ada = daemon.as('ada')
  await ada.publish(await ada.createDraftWith('a.csv'))
  await ada.createDraftWith('b.csv')
  await expect.poll(() => keys('records/')).toHaveLength(1)
  return daemon
}

/** Makes the rows of a home those of a version that had no marks. */
export function forgetMark(home: string): void {
  const sqlite = new Sqlite(join(home, 'deposit.db'))
  sqlite.exec("DELETE FROM shared_secrets WHERE name LIKE 'service%'")
  sqlite.close()
}
