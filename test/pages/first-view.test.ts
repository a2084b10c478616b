import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

interface Built {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

const folder = new URL('../../dist/daemon/pages/assets/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Readonly<
  Record<string, Built>
>

describe('the first view of a page', () => {
  it.for([
    ['the list', ['list/list-page.tsx'], 36_000],
    ['a draft', ['edit/edit-page.tsx'], 150_000],
  ] as const)('of %s is small once compressed', ([, entries, most]) => {
    const files = filesOf(['main.tsx', 'styles/main.css', ...entries])

    expect(compressedBytes(files)).toBeLessThan(most)
  })
})

/** The files that are loaded before the page is shown. */
function filesOf(names: readonly string[], seen = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const built = manifest[name]
    if (!built || seen.has(built.file)) continue
    seen.add(built.file)
    for (const file of built.css ?? []) seen.add(file)
    filesOf(built.imports ?? [], seen)
  }
  return seen
}

function compressedBytes(files: ReadonlySet<string>): number {
  const sizes = [...files].map((file) => gzipSync(readFileSync(new URL(file, folder))).length)
  return sizes.reduce((sum, size) => sum + size, 0)
}
