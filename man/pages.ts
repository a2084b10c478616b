import { readdirSync, readFileSync } from 'node:fs'
import { createContext } from '../cli/session/context.ts'
import { outline } from '../cli/program/outline.ts'
import { commandPage } from './command.ts'
import { toRoff } from './markdown.ts'
import { exitPage, overviewPage } from './overview.ts'

/** Every page as `man` reads it, by its path in this folder: `man1/deposit-upload.1`. */
export async function manualPages(): Promise<Readonly<Record<string, string>>> {
  return {
    'man1/deposit.1': overviewPage(),
    ...(await commandPages()),
    'man7/deposit-exit.7': exitPage(),
    ...writtenPages(),
  }
}

async function commandPages(): Promise<Readonly<Record<string, string>>> {
  const { stdin, stdout, stderr } = process
  const { signal } = new AbortController()
  using context = createContext({ environment: {}, stdin, stdout, stderr, folder: '/', signal })
  const pages = outline.map(async ({ name, summary, load }): Promise<readonly [string, string]> => {
    const command = (await load())(context)
    return [`man1/deposit-${name}.1`, commandPage(command, summary)]
  })
  return Object.fromEntries(await Promise.all(pages))
}

/** Pages from Markdown files; some are generated from the tables they describe. */
function writtenPages(): Readonly<Record<string, string>> {
  const folder = new URL('.', import.meta.url)
  const names = readdirSync(folder).filter((name) => /\.\d\.md$/.test(name))
  return Object.fromEntries(
    names.sort().map((name) => {
      const page = name.replace(/\.md$/, '')
      return [`man${page.at(-1)}/${page}`, toRoff(readFileSync(new URL(name, folder), 'utf8'))]
    }),
  )
}
