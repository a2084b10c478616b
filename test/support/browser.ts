import { access, chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { expect, vi } from 'vitest'
import { atEndOfFile } from './end-of-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The first has no windows, and needs a third less of the processor. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The longest time that one step of a page may take on a busy machine. */
const patienceMs = 120_000

/** The path of this machine's Chromium; undefined if it has none. */
export async function findChromium(): Promise<string | undefined> {
  const given = process.env['CHROMIUM']
  for (const place of given === undefined ? places : [given]) {
    const isThere = await access(place).then(
      () => true,
      () => false,
    )
    if (isThere) return place
  }
  return undefined
}

/** A headless browser that resolves only the host names in `rules`. */
export async function launchBrowser(rules: string = ''): Promise<Browser> {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('There is no Chromium here: set CHROMIUM.')
  const resolver = `${rules} MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost`
  const args = ['--disable-dev-shm-usage', '--no-proxy-server', `--host-resolver-rules=${resolver}`]
  const browser = await chromium.launch({ executablePath, args })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(patienceMs)
    return context
  }
  return browser
}

let shared: Promise<Browser> | undefined

/** A headless browser that all visits of a test file share, in contexts of their own. */
export function sharedBrowser(): Promise<Browser> {
  if (shared === undefined) {
    const launched = launchBrowser()
    shared = launched
    atEndOfFile(async () => {
      shared = undefined
      await (await launched).close()
    })
  }
  return shared
}

/** Catches the addresses that programs open on the desktop, until the environment is restored. */
export async function desktopBrowser() {
  const folder = await temporaryFolder({ browser: '#!/bin/sh\necho "$1" > "$0.opened"\n' })
  const program = join(folder.path, 'browser')
  await chmod(program, 0o700)
  vi.stubEnv('BROWSER', program)
  vi.stubEnv('DISPLAY', '')
  const opened = async (): Promise<string> => {
    const read = () => readFile(`${program}.opened`, 'utf8').catch(() => '')
    await expect.poll(read).toMatch(/\n$/)
    return (await read()).trim()
  }
  return { opened, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}
