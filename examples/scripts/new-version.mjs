// Publishes a folder as the next version of a record: node new-version.mjs ID FOLDER VERSION
import { connect } from 'depositd/client'

const [id, folder, version] = process.argv.slice(2)
const deposits = await connect({ onNote: console.error })

// The draft has the metadata and files of the record; the key is for a script that is run again.
const idempotencyKey = `version:${version}`
const draft = await deposits.newVersion(id, { idempotencyKey })
const current = await deposits.get(draft.id)
if (current.status === 'draft') {
  await deposits.upload(draft.id, folder, { replace: true })
  await deposits.update(draft.id, { ...current.metadata, version })
}
const published = await deposits.publish(draft.id, { idempotencyKey: `publish:${draft.id}` })
console.log(published.recordUrl)
