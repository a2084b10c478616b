import { codeOf } from '../../base/errno.ts'

/** As SQLite and PostgreSQL name it. */
const names: ReadonlySet<string> = new Set(['SQLITE_CONSTRAINT_UNIQUE', '23505'])

/** Whether a row was refused because another has what must be unique, such as the key of a file. */
export function isUniqueViolation(error: unknown): boolean {
  return names.has(codeOf(error))
}
