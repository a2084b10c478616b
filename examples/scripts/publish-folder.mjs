// Publishes a folder: node publish-folder.mjs FOLDER METADATA.json
// Run it again after an interruption: it continues with the same draft, and large files resume.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect, DepositError } from 'depositd/client'

const [folder, file] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node publish-folder.mjs FOLDER METADATA.json')
  process.exit(2)
}
/** Whether the cursor is behind the progress. */
let isLineOpen = false
const interruption = new AbortController()
process.once('SIGINT', () => interruption.abort())

try {
  const deposits = await connect({ onNote: console.error })
  const metadata = JSON.parse(await readFile(file, 'utf8'))
  // The same key makes the same draft, also when the script is run again. A folder of the same name
  // elsewhere has another key.
  const idempotencyKey = `create:${pathToFileURL(resolve(folder))}`
  const draft = await deposits.create(metadata, { idempotencyKey })
  await deposits.upload(draft.id, folder, { onProgress: show, signal: interruption.signal })
  const { warnings } = await deposits.check(draft.id)
  for (const { field, message } of warnings) console.error(`warning: ${field}: ${message}`)
  const published = await deposits.publish(draft.id, { idempotencyKey: `publish:${draft.id}` })
  console.log(published.recordUrl)
} catch (error) {
  endProgress()
  if (!(error instanceof DepositError)) throw error
  console.error(`${error.message}\nnext: ${error.next}`)
  for (const { field, message } of error.errors) console.error(`  ${field}: ${message}`)
  process.exitCode = 1
}

function show({ files, filesTotal, bytes, bytesTotal }) {
  process.stderr.write(`\r${files}/${filesTotal} files, ${bytes}/${bytesTotal} bytes`)
  isLineOpen = true
  if (files === filesTotal) endProgress()
}

function endProgress() {
  if (isLineOpen) process.stderr.write('\n')
  isLineOpen = false
}
