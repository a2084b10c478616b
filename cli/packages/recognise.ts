import { open } from 'node:fs/promises'

/** Names of the metadata file of a crate: that of versions 1.1 and later, and that of 1.0. */
export const crateFiles = ['ro-crate-metadata.json', 'ro-crate-metadata.jsonld'] as const

/** Files of a crate that describe the others. */
export function isOfCrate(path: string): boolean {
  return /^ro-crate-(?:metadata\.json(?:ld)?|preview\.html)$/.test(path)
}

/** The page of a crate for people. */
export const pageFile = 'ro-crate-preview.html'

/** The descriptor of a Data Package. */
export const datapackageFile = 'datapackage.json'

/** True for a file that begins as archives do; an empty archive begins with its end. */
export async function isZip(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
  return ['504b0304', '504b0506'].includes(buffer.toString('hex'))
}
