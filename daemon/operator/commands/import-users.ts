import { randomUUID } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { open, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { count } from '../../../core/base/amounts.ts'
import { parseUserId, type Account } from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import type {
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
} from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { parseNewEmail, requireSize } from '../command/operator-options.ts'
import { linkFor } from './user-commands.ts'
import { codeOf } from '../../../core/base/errno.ts'

interface Person {
  readonly email: string
  readonly admin: boolean
  /** Bytes; undefined for that of all users. */
  readonly quota?: number
}

/**
 * `user import`: an account for each row, all or none, and a link for each user who has no
 * passphrase yet. Run again, it gives those another link and leaves the rest alone.
 */
async function importUsers(context: OperatorContext, options: Options): Promise<Outcome> {
  const people = JSON.parse(options['people'] ?? '[]') as readonly Person[]
  const { database, clock } = context
  const created = clock.now()
  const accounts = await database.write(async (unit) => {
    const made: { readonly account: Account; readonly isNew: boolean }[] = []
    for (const { email, admin, quota } of people) {
      const known = await unit.accounts.findByEmail(email)
      const invited = known ? undefined : await unit.invitations.take(email)
      const id = invited ?? parseUserId(randomUUID())
      const fresh = {
        id,
        email,
        admin,
        disabled: false,
        created,
        ...(quota !== undefined && { quota }),
      }
      if (!known) await unit.accounts.insert(fresh)
      made.push({ account: known ?? fresh, isNew: !known })
    }
    return made
  })
  const data = []
  for (const { account, isNew } of accounts) {
    const isOurs = context.issuer === undefined && account.subject === undefined
    const mayHaveLink = isOurs && !account.disabled
    const isSet = (await database.read.passphrases.find(account.id)) !== undefined
    if (!mayHaveLink || isSet) continue
    const link = await linkFor(context, account)
    data.push({ email: account.email, added: isNew, link })
  }
  const added = accounts.filter(({ isNew }) => isNew).length
  const notes = [`Added ${count(added, 'user')}; ${accounts.length - added} already existed.`]
  return { notes, results: data.map(({ email, link }) => `${email},${link}`), data }
}

/** Reads the table, and makes the file of the links before anything else is done. */
async function readPeople(options: Options): Promise<Options> {
  const { file = '', links: named, ...rest } = options
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new OperatorFailure(`${file} cannot be read: ${reasonOf(error)}.`)
  })
  const people = await parsePeople(file, decode(file, bytes))
  const links = await makeLinksFile(resolve(named ?? `${file}.links.csv`), named === undefined)
  return { ...rest, file, links, people: JSON.stringify(people) }
}

/**
 * Makes a new file that its owner alone can read.
 *
 * @param isFree whether another name will do where there is a file of that name: an import is run again
 * @throws {OperatorFailure} it cannot be made
 */
async function makeLinksFile(wanted: string, isFree: boolean): Promise<string> {
  for (let n = 1; ; n += 1) {
    const path = n === 1 ? wanted : wanted.replace(/\.csv$/, `.${n}.csv`)
    try {
      await (await open(path, 'wx', 0o600)).close()
      return path
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && isFree) continue
      const why = codeOf(error) === 'EEXIST' ? 'there is such a file' : reasonOf(error)
      const said = `The links cannot be written to ${path}: ${why}.`
      throw new OperatorFailure(said, advice.nameLinksFile())
    }
  }
}

function reasonOf(error: unknown): string {
  const reasons = new Map([
    ['ENOENT', 'there is no such file or folder'],
    ['EISDIR', 'it is a folder'],
    ['EACCES', 'you have no permission'],
  ])
  return reasons.get(codeOf(error)) ?? String(error)
}

/** @throws {OperatorFailure} the bytes are not UTF-8, with the first line that is not */
function decode(file: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let [line, start] = [1, 0]
  for (;;) {
    const end = bytes.indexOf('\n', start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) break
    ;[line, start] = [line + 1, end + 1]
  }
  throw new OperatorFailure(`${file}, line ${line}: this is not UTF-8.`, advice.saveAsUtf8())
}

/** @throws {OperatorFailure} with the line */
async function parsePeople(file: string, text: string): Promise<readonly Person[]> {
  const [header, ...rows] = await parseRows(file, text)
  if (header === undefined || rows.length === 0) {
    throw new OperatorFailure(
      `${file} has no users: it needs a line of columns (${columns.join(', ')}), and a line for each user.`,
    )
  }
  requireColumns(file, header)
  const people = rows.map(({ record, info }) => {
    const named = header.record.map((name, index) => [name, record[index] ?? ''] as const)
    try {
      return toPerson(Object.fromEntries(named))
    } catch (error) {
      if (!(error instanceof OperatorFailure)) throw error
      throw new OperatorFailure(`${file}, line ${info.lines}: ${error.message}`)
    }
  })
  const emails = new Set(people.map(({ email }) => email))
  if (emails.size === people.length) return people
  const twice = people.find(({ email }) => !emails.delete(email))
  throw new OperatorFailure(`${file} has ${twice?.email} twice.`)
}

interface ParsedRow {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** @throws {OperatorFailure} it is no table: a quote is left open, or a row is too short */
async function parseRows(file: string, text: string): Promise<readonly ParsedRow[]> {
  const { CsvError, parse } = await import('csv-parse/sync')
  try {
    const rows: unknown = parse(text, { bom: true, trim: true, skip_empty_lines: true, info: true })
    return rows as readonly ParsedRow[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new OperatorFailure(`${file} cannot be read: ${error.message}.`)
  }
}

const columns = ['email', 'admin', 'quota'] as const

function requireColumns(file: string, { record, info }: ParsedRow): void {
  const unknown = record.find((name) => !columns.some((known) => known === name))
  if (record.length === 1 && record[0]?.includes(';')) {
    const said = `${file}, line ${info.lines}: the columns are separated by semicolons.`
    throw new OperatorFailure(said, advice.saveWithCommas())
  }
  const there = `there are ${columns.join(', ')}.`
  if (unknown !== undefined) {
    throw new OperatorFailure(`${file}, line ${info.lines}: "${unknown}" is not a column; ${there}`)
  }
  if (record.includes('email')) return
  throw new OperatorFailure(`${file}, line ${info.lines}: the column email is missing; ${there}`)
}

function toPerson(record: Readonly<Record<string, string>>): Person {
  const { email, quota = '' } = record
  // A spreadsheet writes them in capitals.
  const admin = record['admin']?.toLowerCase() ?? ''
  if (!['', 'true', 'false'].includes(admin)) {
    throw new OperatorFailure(`admin must be true, false or empty, not "${admin}".`)
  }
  return {
    email: parseNewEmail(email),
    admin: admin === 'true',
    ...(quota !== '' && { quota: requireSize(quota) }),
  }
}

/** The links are as good as passphrases: they go into a file that its owner alone can read. */
async function writeLinks(outcome: Outcome, { links = '' }: Options): Promise<Outcome> {
  const text = ['email,link', ...outcome.results].map((line) => `${line}\n`).join('')
  await writeFile(links, text, { flush: true })
  const note = `The links are in ${links}: each is good once, within 7 days. ${advice.removeLinks()}`
  const emails = outcome.results.map((line) => ({ email: line.slice(0, line.lastIndexOf(',')) }))
  return {
    notes: [...outcome.notes, note],
    results: [links],
    data: { links, users: emails },
  }
}

export const importCommand: OperatorCommand = {
  name: 'user import',
  summary: 'add the users of a CSV file (email, admin, quota); their links go into a file',
  arguments: [{ name: 'file', isPath: true }],
  options: [
    {
      flags: '--links <file>',
      summary:
        'file of the links (FILE.links.csv, or FILE.links.2.csv and so on where that exists)',
    },
  ],
  before: readPeople,
  after: writeLinks,
  kind: 'short',
  doing: ({ people = '[]' }) =>
    `Adding ${count((JSON.parse(people) as readonly Person[]).length, 'user')}`,
  run: importUsers,
}
