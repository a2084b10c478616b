import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import { isFile, isFileList } from '../client/bodies.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import { formatTable } from '../output/table.ts'
import { count, formatBytes } from '../output/units.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import type { CommonOptions } from './command.ts'

/** The deposit of a file, and who asks. */
interface Place {
  readonly context: CliContext
  readonly client: DepositClient
  readonly deposit: DepositBody
}

/** Lists the versions of a file, the latest first. */
export async function listVersions(
  { context, client, deposit }: Place,
  name: string,
  options: CommonOptions,
): Promise<void> {
  const versions = await readVersions(client, deposit, name)
  const { streams } = context
  const rows = versions.map(({ version_id, filesize, checksum }, at) => [
    version_id,
    formatBytes(filesize),
    checksum,
    at === 0 ? 'latest' : '',
  ])
  const lines = await formatTable(streams, columns, rows)
  const ids = versions.map(({ version_id }) => version_id)
  print(streams, options, { body: versions, ids, lines: () => lines })
  narrate(streams, options, `${count(versions.length, 'version')} of ${plain(name)}`)
}

const columns = [
  { title: 'VERSION' },
  { title: 'SIZE', align: 'right' },
  { title: 'CHECKSUM', isFlexible: true },
  { title: '' },
] as const

/**
 * Makes an earlier version of a file its latest again.
 *
 * @param wanted the start of its id, or `previous`
 */
export async function restoreVersion(
  { context, client, deposit }: Place,
  { name, wanted }: { readonly name: string; readonly wanted: string },
  options: CommonOptions,
): Promise<void> {
  const { id } = deposit
  const versions = await readVersions(client, deposit, name)
  const version = pickVersion(id, { name, wanted }, versions)
  const tried = `restore ${name} of ${id}`
  if (options.dryRun) await client.permissions.requirePossible(tried, 'upload', deposit)
  const path = `${deposit.links['self'] ?? ''}/file-versions/${version.version_id}`
  const body = options.dryRun
    ? version
    : await client.connection.json(tried, isFile, { method: 'POST', path })
  const verb = options.dryRun ? 'Would restore' : 'Restored'
  const { streams } = context
  narrate(
    streams,
    options,
    `${verb} ${plain(name)} of ${id} as it was, ${formatBytes(body.filesize)}`,
  )
  print(streams, options, { body, ids: [body.version_id], lines: () => [plain(body.filename)] })
}

async function readVersions(
  { connection }: DepositClient,
  { id, links }: DepositBody,
  name: string,
): Promise<readonly FileBody[]> {
  const path = `${links['bucket'] ?? ''}?versions`
  const all = await connection.list(`list the versions of ${name} of ${id}`, isFileList, {
    method: 'GET',
    path,
  })
  const found = all.filter(({ filename }) => filename === name)
  if (found.length > 0) return found
  const said = `${id} has no such file`
  const next = advice.seeFiles(id)
  throw new Failure({ tried: `find ${name}`, said, next }, { exitCode: exitCodes.notFound })
}

function pickVersion(
  id: string,
  { name, wanted }: { readonly name: string; readonly wanted: string },
  versions: readonly FileBody[],
): FileBody {
  const named = versions.filter(({ version_id }) => version_id.startsWith(wanted))
  const [found, other] = wanted === 'previous' ? [versions[1]] : named
  if (found && !other) return found
  const said = other ? 'several versions begin so' : 'it has no such version'
  const tried = `find the version ${wanted} of ${name}`
  const next = advice.seeVersions(id, name)
  throw new Failure({ tried, said, next }, { exitCode: exitCodes.notFound })
}
