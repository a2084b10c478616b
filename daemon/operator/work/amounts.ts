/** A number of things, as a person reads it: `1 blob`, `2 blobs`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}

const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** A number of bytes, as a person reads it: `1 byte`, `900 bytes`, `1.5 GiB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return count(bytes, 'byte')
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length)
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1] ?? ''}`
}
