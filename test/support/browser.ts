import { access } from 'node:fs/promises'
import { chromium, type Browser } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** What one step of a page may take on a busy machine. */
const patienceMs = 300_000

/** Where the Chromium of this machine is; undefined where it has none. */
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

/** A headless browser that knows no names but those of `rules`. */
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
