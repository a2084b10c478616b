import type { ConnectOptions } from '../open-client.ts'
import type { CliContext } from '../context.ts'
import { orFailure, type Examined } from './examined.ts'
import { examineDisk, examineFolders } from './machine.ts'
import { examineServer } from './server.ts'
import { readVersion } from '../version.ts'

/** Looks at everything that a command needs. Nothing is started, nothing changed. */
export async function examine(
  context: CliContext,
  options: ConnectOptions,
): Promise<readonly Examined[]> {
  return [
    examineVersions(),
    ...(await examineFolders(context.config)),
    await examineDisk(context.config),
    ...(await orFailure('server', () => examineServer(context, options))),
  ]
}

function examineVersions(): Examined {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const found = `deposit ${readVersion()}, Node.js ${node}, ${process.platform} ${process.arch}`
  const isNew = major > 24 || (major === 24 && minor >= 12)
  return { what: 'versions', found, ...(!isNew && { fix: 'install Node.js 24.12 or newer' }) }
}
