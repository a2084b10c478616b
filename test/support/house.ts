import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The home directory of the user of every test file: not that of the person who runs the tests.
 * Named by the process: the same one where a test file has its modules loaded anew.
 */
export const house = join(tmpdir(), `deposit-user-${process.pid}`)
process.env['HOME'] = house
process.env['XDG_CONFIG_HOME'] = join(house, 'config')
process.env['XDG_DATA_HOME'] = join(house, 'data')
process.env['XDG_CACHE_HOME'] = join(house, 'cache')
// And without their name in git.
process.env['GIT_CONFIG_NOSYSTEM'] = '1'
process.env['GIT_CONFIG_GLOBAL'] = join(house, 'gitconfig')

/** The sign-ins of the commands of a test file (on Linux). */
export const credentialsFile = join(house, 'config/deposit/credentials.json')

/** Makes it, empty, for one test file; disposing of it removes it. */
export function moveIn(): Disposable {
  rmSync(house, { recursive: true, force: true })
  mkdirSync(house)
  return { [Symbol.dispose]: () => rmSync(house, { recursive: true, force: true }) }
}
