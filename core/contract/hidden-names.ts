/**
 * Names in a folder that nobody means to publish: hidden files, and leftovers of Windows and Office.
 * In the notation of `.gitignore`, with `*` alone; case counts.
 */
export const hiddenNames: readonly string[] = ['.*', 'Thumbs.db', 'desktop.ini', '~$*']

const hidden = new RegExp(`(?:^|/)(?:${hiddenNames.map(toForm).join('|')})(?:/|$)`)

function toForm(name: string): string {
  return name.split('*').map(escaped).join('[^/]*')
}

/**
 * The part of a path that leads to the first hidden name in it, with a slash at the end if that is a
 * folder; undefined where there is none.
 *
 * @param path below the folder, with slashes
 */
export function findHidden(path: string): string | undefined {
  const found = hidden.exec(path)
  return found === null ? undefined : path.slice(0, found.index + found[0].length)
}

function escaped(part: string): string {
  return part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
