import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'

/** Who did what, when, from where: one entry for each change and each sign-in. */
export interface AuditEntry {
  /** Id of a user, `owner` for the owner of the machine; absent for a visitor. */
  readonly who?: string
  /** The name of the token that was used. */
  readonly token?: string
  /** Method and route, or what the issuer did. */
  readonly what: string
  /** The path, or what else it was about. */
  readonly on?: string
  readonly status?: number
  /** Address of the client, as far as trusted proxies say. */
  readonly from?: string
  readonly request_id?: string
}

export interface Audit extends Disposable {
  readonly note: (entry: AuditEntry) => void
}

/**
 * The audit trail of a home: JSON lines, added one at a time and never changed. Each has `time`
 * (ISO 8601, UTC) beside what {@link AuditEntry} says. It holds no secret.
 */
export async function openAudit(folder: string, report: (error: unknown) => void): Promise<Audit> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'audit.jsonl')
  const file = pino.destination({ dest: path, append: true, mode: 0o600, sync: true })
  file.on('error', report)
  return {
    note: (entry) => {
      file.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`)
    },
    [Symbol.dispose]: () => file.end(),
  }
}
