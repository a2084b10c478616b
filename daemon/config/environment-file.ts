import type { Environment } from './parse-environment.ts'
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { advice } from '../advice.ts'
import { requireOwnFile } from '../home/own-files.ts'
import { StartFailure } from '../start-failure.ts'

/**
 * Settings of a file, as systemd's `EnvironmentFile` has them: lines `NAME=VALUE` and comments.
 *
 * @throws {StartFailure} it cannot be read, others can write to it, or a line is not one of these
 */
export async function readEnvironmentFile(path: string): Promise<Environment> {
  const text = await readOwn(path)
  requireAssignments(path, text)
  return parseEnv(text)
}

async function readOwn(path: string): Promise<string> {
  try {
    await requireOwnFile(path)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure('no_input', `--environment-file cannot be read: ${reason}`)
  }
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:(["'`])(.*))?/

/** Names of Node.js and of the loader: they change which code runs, and are no settings. */
const forbidden = /^(?:NODE|LD)_/i

function requireAssignments(path: string, text: string): void {
  const faults: string[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const fault = (what: string): void => void faults.push(`${path}, line ${index + 1}: ${what}`)
    if (/^\s*(?:[#;]|$)/.test(line)) continue
    const [, name, quote, rest = ''] = assignment.exec(line) ?? []
    if (name === undefined) fault('this is not NAME=VALUE.')
    else if (forbidden.test(name)) fault(`${name} cannot be set here. ${advice.removeLine()}`)
    if (quote === undefined || rest.includes(quote)) continue
    // A value in quotes may go over several lines.
    const end = lines.findIndex((later, at) => at > index && later.includes(quote))
    if (end === -1) {
      fault(`the value of ${name} lacks its closing ${quote}.`)
      break
    }
    index = end
  }
  if (faults.length > 0) throw new StartFailure('config', faults.join('\n'))
}
