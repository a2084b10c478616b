import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The target of a connection. */
export interface Connection {
  readonly host: string
  readonly port: number | string
  readonly database: string
  readonly user: string
}

/**
 * The password of the first line of the password file (`PGPASSFILE`, else `~/.pgpass`) that is for
 * a connection; empty where there is none. As libpq does, a file that others may read is left alone.
 *
 * @see https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export async function passwordOf({ host, port, database, user }: Connection): Promise<string> {
  const path = process.env['PGPASSFILE'] ?? join(homedir(), '.pgpass')
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile() || (process.platform !== 'win32' && found.mode & 0o077)) return ''
  const wanted = [host, String(port), database, user]
  for (const line of (await readFile(path, 'utf8')).split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) =>
      field.replaceAll(/\\(.)/g, '$1'),
    )
    const isForIt = wanted.every((value, index) => fields[index] === '*' || fields[index] === value)
    if (isForIt) return fields[4] ?? ''
  }
  return ''
}
