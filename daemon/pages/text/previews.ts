/** The kind of preview of a file, chosen by its extension. */
export type PreviewKind =
  | 'image'
  | 'table'
  | 'text'
  | 'markdown'
  | 'json'
  | 'notebook'
  | 'audio'
  | 'video'
  | 'zip'
  | 'pdf'

/** Bytes. Larger files are for downloading. */
const maxPreviewBytes = 20_000_000

/** Extensions of each kind, separated by spaces. */
const extensions: Readonly<Record<PreviewKind, string>> = {
  image: 'gif jpeg jpg png webp avif svg',
  table: 'csv tsv',
  markdown: 'md markdown',
  json: 'json geojson jsonld',
  notebook: 'ipynb',
  audio: 'mp3 ogg oga wav flac m4a',
  video: 'mp4 webm ogv',
  zip: 'zip',
  pdf: 'pdf',
  text: 'txt xml yaml yml toml ini log py r jl js ts c h cpp java sh sql tex bib html cff rst',
}

const kinds = new Map(
  Object.entries(extensions).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as PreviewKind] as const),
  ),
)

/** Undefined where the page has no way to show the file. */
export function previewKind(key: string): PreviewKind | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1)
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return kinds.get(extension) ?? (/^(?:readme|license|gaps)$/.test(extension) ? 'text' : undefined)
}

export function canPreview(key: string, bytes: number): boolean {
  return previewKind(key) !== undefined && bytes <= maxPreviewBytes
}
