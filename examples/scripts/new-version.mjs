// Publishes a folder as the next version of a record: node new-version.mjs RECORD FOLDER
// The metadata are those of metadata.yaml in the folder. Run it again: without changes it publishes
// nothing, and after an interruption it finishes the same version.
import { connect, DepositError } from 'depositd/client'

const [record, folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: node new-version.mjs RECORD FOLDER')
  process.exit(2)
}

try {
  const deposits = await connect({ onNote: console.error })
  const published = await deposits.release(folder, { of: record, onProgress: show })
  console.log(published.recordUrl)
} catch (error) {
  if (!(error instanceof DepositError)) throw error
  console.error(`${error.message}\nnext: ${error.next}`)
  for (const { field, message } of error.errors) console.error(`  ${field}: ${message}`)
  process.exitCode = 1
}

function show({ files, filesTotal, bytes, bytesTotal }) {
  if (files === filesTotal) console.error(`${filesTotal} files, ${bytes}/${bytesTotal} bytes`)
}
