// Mends what npm leaves undone, so that `npm install` is all there is to do. The npm of Node.js 20
// and 22 needs both; a newer one only the first, to keep it for the others.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

markPrebuilt('node_modules/better-sqlite3')
linkShippedNode(`node-${process.platform}-${process.arch}`)

/**
 * A package that brings its binaries says `"gypfile": false`. npm does not copy that into the lock
 * file, and an npm without `allowScripts` then compiles the package, or fails for want of a compiler.
 * It does heed the word where the lock file has it.
 */
function markPrebuilt(name) {
  const lockFile = fromRoot('package-lock.json')
  if (!existsSync(lockFile)) return
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
  const entry = lock.packages[name]
  if (entry === undefined || entry.gypfile === false) return
  lock.packages[name] = { ...entry, gypfile: false }
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
}

/**
 * `npm run` finds the Node.js that an optional dependency brings as `.bin/node`. An old npm takes
 * that link away again when it skips the same package for other platforms.
 */
function linkShippedNode(name) {
  const link = fromRoot('node_modules/.bin/node')
  if (existsSync(fromRoot(`node_modules/${name}/bin/node`)) && !existsSync(link))
    symlinkSync(`../${name}/bin/node`, link)
}

function fromRoot(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}
