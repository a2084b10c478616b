import type { ConnectOptions } from '../session/open-client.ts'
import type { CliContext } from '../session/context.ts'
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

/** Node.js is new enough: the program does not begin with an older one. */
function examineVersions(): Examined {
  const { node } = process.versions
  const found = `deposit ${readVersion()}, Node.js ${node}, ${process.platform} ${process.arch}`
  return { what: 'versions', found }
}
