import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The version of the package, found above this file wherever it was compiled to. */
export async function readVersion(folder: string = import.meta.dirname): Promise<string> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return readVersion(dirname(folder))
  return (JSON.parse(text) as { readonly version: string }).version
}
