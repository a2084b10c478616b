import { advice } from '../advice.ts'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readPrivateFile } from '../private-file.ts'
import type { CliConfig } from '../config.ts'
import { Failure } from '../failure.ts'
import { formatBytes } from '../output/units.ts'
import type { Examined } from './examined.ts'

/** With less than this, a daemon soon refuses uploads. Bytes. */
const littleSpace = 512 * 1024 * 1024

/** The home of the local daemon, and where sign-ins are stored. */
export async function examineFolders(config: CliConfig): Promise<readonly Examined[]> {
  return [
    await examineHome(await config.home()),
    await examineSignIns(await config.credentialsFile()),
  ]
}

async function examineHome(home: string): Promise<Examined> {
  const stats = await stat(home).catch(() => undefined)
  if (stats === undefined) return { what: 'home', found: `${home} (made on first use)` }
  const what = 'home'
  if (!stats.isDirectory()) return { what, found: `${home} is no folder`, fix: advice.useOwnHome() }
  const isOthers = process.getuid !== undefined && stats.uid !== process.getuid()
  if (isOthers) return { what, found: `${home} is not yours`, fix: advice.useOwnHome() }
  const isOpen = process.platform !== 'win32' && (stats.mode & 0o077) !== 0
  if (isOpen) return { what, found: `${home} is open to others`, fix: advice.closeHome(home) }
  const isWritable = await access(home, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (isWritable) return { what, found: home }
  return { what, found: `${home} is not writable`, fix: advice.closeHome(home) }
}

async function examineSignIns(file: string): Promise<Examined> {
  try {
    const text = await readPrivateFile(file)
    return { what: 'sign-ins', found: text === undefined ? `${file} (none yet)` : file }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { what: 'sign-ins', found: `${file}: ${error.said}`, fix: error.next }
  }
}

export async function examineDisk(config: CliConfig): Promise<Examined> {
  const { bavail: blocks, bsize } = await statfs(await nearestFolder(await config.home()))
  const free = blocks * bsize
  const found = `${formatBytes(free)} free`
  if (free >= littleSpace) return { what: 'disk', found }
  return { what: 'disk', found, fix: advice.makeRoom() }
}

/** The home, or what there is on the way to it. */
async function nearestFolder(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path))
}
