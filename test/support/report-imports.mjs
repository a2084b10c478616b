// Loaded with `--import`: writes the URL of every module that the program loads, a line each, to
// the file that IMPORT_REPORT names.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const report = process.env.IMPORT_REPORT

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(report, `${url}\n`)
    return nextLoad(url, context)
  },
})
