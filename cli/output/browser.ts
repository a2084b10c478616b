import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Lifetime of the ticket in such a file. */
const goodForMs = 600_000

const fileName = /^open-[\w-]+\.html$/

/**
 * Opens `url` in the browser of the desktop. Without a desktop nothing happens: the address is
 * printed.
 *
 * @param folder of the user's own, where `url` has a secret in it: everybody on the machine can read
 *   the arguments of a program, so the browser is given a file there that leads on
 */
export async function openInBrowser(
  url: string,
  hasDesktop: boolean,
  folder?: string,
): Promise<void> {
  const protocol = URL.parse(url)?.protocol
  // A server must not choose which program is started.
  if (!hasDesktop || (protocol !== 'https:' && protocol !== 'http:')) return
  const target = folder === undefined ? url : await leadOn(folder, new URL(url))
  const { default: open } = await import('open')
  const browser = await open(target)
  browser.on('error', () => {})
}

/** The address of a new file that only this user can read; older ones are removed. */
async function leadOn(folder: string, url: URL): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOld(folder)
  const path = join(folder, `open-${randomUUID()}.html`)
  await writeFile(path, toPage(url), { flag: 'wx', mode: 0o600 })
  return pathToFileURL(path).href
}

function toPage({ href, origin }: URL): string {
  const address = href.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${address}">
<title>deposit</title>
<p><a href="${address}">Open ${origin}</a></p>
`
}

async function removeOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name))
  for (const name of names) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats && Date.now() - stats.mtimeMs > goodForMs) await rm(path, { force: true })
  }
}
