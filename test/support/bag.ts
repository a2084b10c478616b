import { createHash } from 'node:crypto'

interface BagOptions {
  /** Without the line break at its end. */
  readonly declaration?: string
  readonly algorithms?: readonly string[]
  /** Further files, or others in place of those that are written; undefined leaves one out. */
  readonly files?: Readonly<Record<string, string | undefined>>
}

/** The files of a bag by their paths: a payload without `data/`, and what belongs to it. */
export function bagOf(
  payload: Readonly<Record<string, string>>,
  { declaration = '1.0', algorithms = ['sha256'], files = {} }: BagOptions = {},
): Readonly<Record<string, string>> {
  const data = Object.entries(payload).map(([key, text]) => [`data/${key}`, text] as const)
  const bytes = data.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  const tags = {
    'bagit.txt': `BagIt-Version: ${declaration}\nTag-File-Character-Encoding: UTF-8\n`,
    'bag-info.txt': `Payload-Oxum: ${bytes}.${data.length}\n`,
    ...Object.fromEntries(
      algorithms.map((name) => [`manifest-${name}.txt`, manifestOf(name, data)]),
    ),
    ...files,
  }
  const kept = Object.entries(tags).flatMap(([path, text]) =>
    text === undefined ? [] : [[path, text] as const],
  )
  return Object.fromEntries([...data, ...kept])
}

/** Lines of a manifest. */
export function manifestOf(
  algorithm: string,
  files: readonly (readonly [path: string, text: string])[],
): string {
  return files
    .map(([path, text]) => `${createHash(algorithm).update(text).digest('hex')}  ${encode(path)}\n`)
    .join('')
}

function encode(path: string): string {
  return path.replaceAll(/[\r\n%]/g, encodeURIComponent)
}
