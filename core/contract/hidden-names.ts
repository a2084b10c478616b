/**
 * Names in a folder that nobody means to publish: hidden files, and leftovers of Windows and Office.
 * In the notation of `.gitignore`, with `*` alone; case counts.
 */
export const hiddenNames: readonly string[] = ['.*', 'Thumbs.db', 'desktop.ini', '~$*']

const forms = hiddenNames.map((name) => new RegExp(`^${name.split('*').map(escaped).join('.*')}$`))

/**
 * The part of a path that leads to the first hidden name in it, with a slash at the end if that is a
 * folder; undefined where there is none.
 *
 * @param path below the folder, with slashes
 */
export function findHidden(path: string): string | undefined {
  const names = path.split('/')
  const at = names.findIndex((name) => forms.some((form) => form.test(name)))
  if (at === -1) return undefined
  const hidden = names.slice(0, at + 1).join('/')
  return at === names.length - 1 ? hidden : `${hidden}/`
}

function escaped(part: string): string {
  return part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
