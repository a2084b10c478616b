const powers = ['', 'k', 'm', 'g', 't', 'p'] as const

/** Bytes of a size such as `500000`, `20 GB` or `20GiB`; undefined for other text. */
export function parseSize(text: string): number | undefined {
  const found = /^(\d{1,16}(?:\.\d{1,3})?) ?([kmgtp]?)(i?)b?$/i.exec(text)
  const [, number = '', letter = '', binary = ''] = found ?? []
  if (!found || (binary !== '' && letter === '')) return undefined
  const power = powers.findIndex((unit) => unit === letter.toLowerCase())
  const bytes = Math.round(Number(number) * (binary === '' ? 1000 : 1024) ** power)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Bytes for a person: three digits and a decimal unit. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  const digits = power === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${units[power] ?? 'B'}`
}

/** `1,234`, made by hand: `toLocaleString` first loads the data of all languages. */
export function grouped(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 file`, `12 files`; English plurals that end in `s`. */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`
}

const unitMs = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** Milliseconds of a duration such as `30d`, `12h`, `15m` or `90s`; undefined for other text, and for none such as `0d`. */
export function parseDuration(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = unitMs.get(unit)
  return ms === undefined || Number(number) === 0 ? undefined : Number(number) * ms
}
