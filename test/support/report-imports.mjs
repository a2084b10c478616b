// Loaded with `--import`: writes the URL of every module that the program loads, a line each, to
// the file that IMPORT_REPORT names, and at its end those of Node.js that it took without an import.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const report = process.env.IMPORT_REPORT

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(report, `${url}\n`)
    return nextLoad(url, context)
  },
})

process.on('exit', () => {
  const taken = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '))
  appendFileSync(
    report,
    taken.map((name) => `${name.replace('NativeModule ', 'node:')}\n`).join(''),
  )
})
