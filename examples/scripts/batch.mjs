// Publishes many deposits: node batch.mjs ROWS.json, with [{ "key", "metadata", "files": [] }, …].
// Prints a line of JSON for each row. Run it again: rows that are done are not made twice.
import { readFile } from 'node:fs/promises'
import { connect, DepositError } from 'depositd/client'

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node batch.mjs ROWS.json')
  process.exit(2)
}
const rows = JSON.parse(await readFile(file, 'utf8'))
const deposits = await connect({ onNote: console.error })

/** Rows at once; the client retries if the service asks it to slow down. */
const atOnce = 4
const next = rows.values()
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const row of next) console.log(JSON.stringify({ key: row.key, ...(await publish(row)) }))
  }),
)

async function publish({ key, metadata, files }) {
  try {
    const draft = await deposits.create(metadata, { idempotencyKey: `create:${key}` })
    await deposits.upload(draft.id, files)
    const { id, recordUrl } = await deposits.publish(draft.id, {
      idempotencyKey: `publish:${key}`,
    })
    return { id, recordUrl }
  } catch (error) {
    if (!(error instanceof DepositError)) throw error
    process.exitCode = 7
    return { error: { code: error.code, message: error.message, errors: error.errors } }
  }
}
