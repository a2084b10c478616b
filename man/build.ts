import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configManual } from './config.ts'
import { formatsManual } from './formats.ts'
import { metadataManual } from './metadata.ts'
import { manualPages } from './pages.ts'

// Makes the pages of the manual, and their list in package.json: `npm run manual`.
writeFileSync(new URL('deposit-config.5.md', import.meta.url), configManual())
writeFileSync(new URL('deposit-metadata.5.md', import.meta.url), await metadataManual())
writeFileSync(new URL('deposit-formats.7.md', import.meta.url), formatsManual())
for (const section of ['man1', 'man3', 'man5', 'man7', 'man8'])
  rmSync(new URL(section, import.meta.url), { recursive: true, force: true })
const pages = await manualPages()
for (const [path, text] of Object.entries(pages)) {
  const file = fileURLToPath(new URL(path, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const manifest = new URL('../package.json', import.meta.url)
const content = JSON.parse(readFileSync(manifest, 'utf8')) as object
const man = Object.keys(pages).map((path) => `man/${path}`)
writeFileSync(manifest, `${JSON.stringify({ ...content, man: man.sort() }, null, 2)}\n`)
