import { constants, mkdirSync, renameSync, statSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { plainJson } from '../../core/base/plain.ts'
import { requireAppendable } from '../log.ts'
import { StartFailure } from '../start-failure.ts'

/** The audit trail: one entry for each change and each sign-in, with user, time and address. */
export interface AuditEntry {
  /** Id of a user, `owner` for the owner of the machine; absent for a visitor. */
  readonly who?: string
  /** The name of the token that was used. */
  readonly token?: string
  /** Its id, where it is a personal one: names may be the same. */
  readonly token_id?: string
  /** Method and route, or what the issuer did. */
  readonly what: string
  /** The path, or what else it was about. */
  readonly on?: string
  /** Id of the deposit that was changed. */
  readonly deposit?: string
  /** Its revision before and after. */
  readonly was?: number
  readonly revision?: number
  /** Path of the deposit, file, upload or token that was made or changed. */
  readonly made?: string
  /** Keys of files that were stored together. */
  readonly files?: readonly string[]
  readonly status?: number
  /** Why an operator's command failed. */
  readonly failed?: string
  /** Address of the client, as far as trusted proxies say. */
  readonly from?: string
  readonly request_id?: string
}

export interface Audit extends Disposable {
  readonly note: (entry: AuditEntry) => void
  /** Opens the file again, which a rotation of logs may have moved away. */
  readonly reopen: () => void
}

/** Bytes of a file that is set aside, under its time, when it is next opened: at a start, or SIGHUP. */
const mostBytes = 64 * 1024 * 1024

/**
 * The audit trail of a home: JSON lines, added one at a time and never changed. Each has `time`
 * (ISO 8601, UTC) beside what {@link AuditEntry} says. It holds no secret.
 *
 * @throws {StartFailure} it cannot be written
 */
export async function openAudit(folder: string, report: (error: unknown) => void): Promise<Audit> {
  const path = join(folder, 'audit.jsonl')
  await requireWritable(folder, path)
  const file = pino.destination({ dest: path, append: true, mode: 0o600, sync: true })
  file.on('error', report)
  return {
    note: (entry) => {
      file.write(lineOf(entry))
    },
    reopen: () => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        setAside(folder, path)
        requireAppendable(path)
      } catch (error) {
        report(notReopened(path, error))
        return
      }
      file.reopen()
    },
    [Symbol.dispose]: () => file.end(),
  }
}

function notReopened(path: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error)
  const said = `The audit trail cannot be opened again: ${reason}. Its entries go to the file that was open before.`
  const next = `Let the daemon write to ${path}, then send it SIGHUP again: kill -HUP ${process.pid}`
  return new Error(`${said} ${next}`, { cause: error })
}

/** Adds an entry to a trail that is there, which a daemon may have open; without one it is lost. */
export async function addToAudit(folder: string, entry: AuditEntry): Promise<void> {
  try {
    const path = join(folder, 'audit.jsonl')
    await using file = await open(path, constants.O_WRONLY | constants.O_APPEND)
    await file.appendFile(lineOf(entry))
  } catch {
    // The home may be missing, or another user's: the command says so itself.
  }
}

function lineOf(entry: AuditEntry): string {
  return `${plainJson({ time: new Date().toISOString(), ...entry })}\n`
}

async function requireWritable(folder: string, path: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await using _ = await open(path, 'a', 0o600)
    setAside(folder, path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure('no_permission', `The audit trail cannot be written: ${reason}`, {
      cause: error,
    })
  }
}

function setAside(folder: string, path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size < mostBytes) return
  const time = new Date().toISOString().replaceAll(':', '')
  renameSync(path, join(folder, `audit-${time}.jsonl`))
}
