// better-sqlite3 brings its binaries and says so in its manifest (`"gypfile": false`), but npm does
// not copy that word into the lock file, and an npm older than `allowScripts` (those of Node.js 20
// and 22) then compiles what needs no compiling, or fails where there is no compiler. It does heed
// the word when it stands in the lock file, so we put it back whenever npm has rewritten the file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const lockFile = new URL('../package-lock.json', import.meta.url)
const prebuilt = 'node_modules/better-sqlite3'

if (existsSync(lockFile)) {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
  const entry = lock.packages[prebuilt]
  if (entry !== undefined && entry.gypfile !== false) {
    lock.packages[prebuilt] = { ...entry, gypfile: false }
    writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
  }
}
