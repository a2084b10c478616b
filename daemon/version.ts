import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

const manifestPath = findPackageJSON('..', import.meta.url) ?? '../package.json'

/** The folder of this package, wherever it is installed and whether it was compiled or not. */
export const packageRoot = dirname(manifestPath)

/** The version of the package. */
export async function readVersion(): Promise<string> {
  const text = await readFile(manifestPath, 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
