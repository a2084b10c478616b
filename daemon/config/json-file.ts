import { readFile } from 'node:fs/promises'
import { isProblem, parseJson, type DepositError, type Json } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'

/**
 * Reads a file of JSON that an operator has written: a configuration, or a schema.
 *
 * @throws {StartFailure} with the file and the line of the fault
 */
export async function readJsonFile(path: string): Promise<Json> {
  const text = await readFile(path, 'utf8')
  try {
    return parseJson(text)
  } catch (error) {
    if (!isProblem(error)) throw error
    const said = `${path}${describe(error, text)}.`
    throw new StartFailure('config', said, { cause: error })
  }
}

/** Where in the text the fault is, and which. */
function describe(error: DepositError, text: string): string {
  const [fault] = isProblem(error, 'malformed_json') ? error.faults : []
  const { position, message = error.message, field = '' } = fault ?? {}
  const line = position === undefined ? '' : `:${text.slice(0, position).split('\n').length}`
  const place = field === '' ? '' : ` (${field})`
  return `${line}: this is not valid JSON: ${message}${place}`
}
