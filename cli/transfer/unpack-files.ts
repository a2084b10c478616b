import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { advice } from '../advice.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { Failure } from '../failure.ts'
import { UnreadableFile } from '../packages/contents.ts'
import { openPackage } from '../packages/open-package.ts'
import { makeWorkFolder } from './work-folder.ts'

/** Files that lie unpacked at once: so many, or one that is larger. */
const most = { files: 200, bytes: 256 * 1000 * 1000 }

/**
 * Gives files of archives to `send` as files of a folder, some at a time: the archive is never
 * unpacked whole. Other files are given as they are.
 */
export async function withUnpacked<Sent>(
  files: readonly LocalFile[],
  send: (files: readonly LocalFile[]) => Promise<readonly Sent[]>,
): Promise<readonly Sent[]> {
  const byArchive = Map.groupBy(files, ({ packed }) => packed?.archive)
  const sent: Sent[] = []
  for (const [archive, group] of byArchive) {
    if (archive === undefined) {
      sent.push(...(await send(group)))
      continue
    }
    await using opened = await openPackage(archive)
    for (const some of batches(group)) sent.push(...(await withCopies(opened.contents, some, send)))
  }
  return sent
}

function batches(files: readonly LocalFile[]): readonly (readonly LocalFile[])[] {
  const found: LocalFile[][] = []
  let bytes = 0
  for (const file of files) {
    const last = found.at(-1)
    bytes += file.size
    if (last !== undefined && last.length < most.files && bytes <= most.bytes) last.push(file)
    else {
      found.push([file])
      bytes = file.size
    }
  }
  return found
}

async function withCopies<Sent>(
  contents: Awaited<ReturnType<typeof openPackage>>['contents'],
  files: readonly LocalFile[],
  send: (files: readonly LocalFile[]) => Promise<readonly Sent[]>,
): Promise<readonly Sent[]> {
  await using folder = await makeWorkFolder('unpacked')
  const copies: LocalFile[] = []
  for (const [index, { key, size, packed }] of files.entries()) {
    if (packed === undefined) continue
    const path = join(folder.path, String(index))
    await unpack(contents.read(packed.file), path, key)
    copies.push({ path, key, size })
  }
  return await send(copies)
}

async function unpack(bytes: AsyncIterable<Buffer>, path: string, key: string): Promise<void> {
  const tried = `unpack ${key}`
  try {
    await pipeline(bytes, createWriteStream(path, { mode: 0o600 }))
  } catch (cause) {
    if (cause instanceof UnreadableFile)
      throw new Failure({ tried, said: cause.message, next: advice.runAgain() }, { cause })
    const { noWrite } = await import('../no-write.ts')
    const kept = 'the files that were sent are kept'
    const elsewhere = advice.useOtherTemp()
    throw noWrite(cause, { tried, path, kept, full: elsewhere, elsewhere }) ?? cause
  }
}
