/** The kind of preview of a file, chosen by its extension. */
export type PreviewKind = 'image' | 'table' | 'text'

/** Bytes. Larger files are for downloading. */
const maxPreviewBytes = 20_000_000

const kinds = new Map<string, PreviewKind>([
  ...['gif', 'jpeg', 'jpg', 'png', 'webp', 'avif'].map((name) => [name, 'image'] as const),
  ...['csv', 'tsv'].map((name) => [name, 'table'] as const),
  ...'txt md json xml yaml yml toml ini log py r jl js ts c h cpp java sh sql tex bib html svg'
    .split(' ')
    .map((name) => [name, 'text'] as const),
])

/** Undefined where the page has no way to show the file. */
export function previewKind(key: string): PreviewKind | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1)
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return kinds.get(extension) ?? (/^(?:readme|license|gaps)$/.test(extension) ? 'text' : undefined)
}

export function canPreview(key: string, bytes: number): boolean {
  return previewKind(key) !== undefined && bytes <= maxPreviewBytes
}
