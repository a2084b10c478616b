import { fromBuffer, type Entry, type ZipFile } from 'yauzl'
import { store, type Stored } from '../exchange.ts'

interface Unpacked {
  readonly label: string
  /** Without a slash at its end; empty at the top. */
  readonly directory: string
  readonly content: Stored
}

/** Files of an archive; nothing if it is none or too large to be kept, and stays one file then. */
export async function unzip({ bytes }: Stored): Promise<readonly Unpacked[] | undefined> {
  if (!bytes) return undefined
  const opened = Promise.withResolvers<ZipFile>()
  fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
    if (error) opened.reject(error)
    else opened.resolve(zip)
  })
  const zip = await opened.promise.catch(() => undefined)
  if (!zip) return undefined
  const entries: Unpacked[] = []
  const read = Promise.withResolvers<void>()
  zip.on('end', () => read.resolve())
  zip.on('error', (error) => read.reject(error))
  zip.on('entry', (entry: Entry) => {
    if (entry.fileName.endsWith('/')) {
      zip.readEntry()
      return
    }
    zip.openReadStream(entry, (error, stream) => {
      if (error) {
        read.reject(error)
        return
      }
      store(stream as AsyncIterable<Buffer>).then((content) => {
        const parts = entry.fileName.split('/')
        entries.push({ label: parts.pop() ?? '', directory: parts.join('/'), content })
        zip.readEntry()
      }, read.reject)
    })
  })
  zip.readEntry()
  await read.promise
  return entries
}
