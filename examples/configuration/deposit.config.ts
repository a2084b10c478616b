/**
 * A configuration that extends the service: an action, a journal of actions, its own names for
 * records, and a format of them.
 * Put it into `DEPOSIT_HOME`, or name it in `DEPOSIT_CONFIG`; `deposit-config(5)` has all keys.
 */
import { randomInt } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import {
  defineConfig,
  requireDraft,
  type DepositAction,
  type ExportWriter,
  type Minter,
  type PostAction,
} from 'depositd/config'

/**
 * `POST …/actions/submit`, `deposit action ID submit`: notes in the draft that it is ready for a
 * colleague to look at. The returned deposit is saved; an exception changes nothing.
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

/** Names records after the year and a random number: `2026-k3v9m2`. */
const yearly: Minter = {
  mint: () => `${new Date().getUTCFullYear()}-${randomInt(36 ** 6).toString(36).padStart(6, '0')}`,
}

/** `GET …/records/VALUE/export/markdown`: a line for a reading list. */
const markdown: ExportWriter = {
  mediaType: 'text/markdown',
  extension: '.md',
  title: 'Markdown',
  write: ({ title = 'Untitled', creators, year, citedAs }) =>
    `- ${creators.map(({ name }) => name).join('; ')} (${year}): [${title}](${citedAs})\n`,
}

export default defineConfig({
  DEPOSIT_PID_MINTER: 'yearly',
  DEPOSIT_MAX_FILES: 500,
  DEPOSIT_RESPONSE_MESSAGES: { submit: 'Thank you. A colleague will look at your draft.' },
  actions: { submit },
  minters: { yearly },
  exports: { markdown },
  signals: { postAction: [keepJournal] },
})
