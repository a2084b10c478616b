import { join } from 'node:path'

/** The start of a command line that runs `script` over a store in `root`. */
export function commandFor(root: string, script: string): [string, ...string[]] {
  const store = new URL('../../core/adapters/blobs/folder-blob-store.ts', import.meta.url)
  const files = new URL('../../core/files/file.ts', import.meta.url)
  const source = `
    import { Readable } from 'node:stream'
    import { openFolderBlobStore } from '${store.href}'
    import { newBlobId } from '${files.href}'
    const root = process.argv[1]
    ${script}`
  return [process.execPath, '--input-type=module', '-e', source, join(root, 'store')]
}
