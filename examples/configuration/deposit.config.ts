/**
 * A configuration that adds to the service: an action of its own, and a journal of what was done.
 * Put it into `DEPOSIT_HOME`, or name it in `DEPOSIT_CONFIG`; `deposit-config(5)` has all keys.
 */
import { appendFile } from 'node:fs/promises'
import { defineConfig, requireDraft, type DepositAction, type PostAction } from 'depositd/config'

/**
 * `POST …/actions/submit`, `deposit action ID submit`: says in the draft that it is ready for a
 * colleague to look at. What an action answers is saved; what it throws leaves all as it was.
 */
const submit: DepositAction = {
  summary: 'Ask a colleague to look at the draft',

  async run(deposit, { now }) {
    requireDraft(deposit, 'submit')
    return { ...deposit, metadata: { ...deposit.metadata, submitted: now } }
  },
}

const journal = new URL('journal.log', import.meta.url)

/** Writes a line for each action. It runs after the change is durable: failing undoes nothing. */
async function keepJournal({ action, pid, deposit }: PostAction): Promise<void> {
  await appendFile(journal, `${deposit.updated} ${action} ${pid.type}:${pid.value}\n`)
}

export default defineConfig({
  DEPOSIT_MAX_FILES: 500,
  DEPOSIT_RESPONSE_MESSAGES: { submit: 'Thank you. A colleague will look at your draft.' },
  actions: { submit },
  signals: { postAction: [keepJournal] },
})
