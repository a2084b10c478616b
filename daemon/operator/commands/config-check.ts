import { existsSync } from 'node:fs'
import { gatherConfig, type DaemonConfig } from '../../config/config.ts'
import { ConfigFaults } from '../../config/faults.ts'
import { requireLocalFileSystem } from '../../home/file-system.ts'
import { homeAt, isReadOnly, requireReadableHome, requireUsableHome } from '../../home/home.ts'
import type { Home } from '../../home/home.ts'
import {
  openReaders,
  requireEndpoints,
  requireEndpointsIn,
  schemaState,
} from '../../stores/open-stores.ts'
import { requireLatestStore } from '../../stores/other-users.ts'
import { newRows, requireOwnStore } from '../../stores/store-owner.ts'
import { askDatacite } from '../../stores/ask-datacite.ts'
import { requireAnswer } from '../../stores/storages.ts'
import { chooseSchemas, openSchemas } from '../../stores/operator-schemas.ts'
import { describePlace, requireKnownPlace } from '../../home/place.ts'
import { requireWritableFolders } from '../../home/writable-folders.ts'
import { createLinks } from '../../config/links.ts'
import { actions as ownActions } from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { readVersion } from '../../version.ts'
import { askDaemon } from '../command/ask.ts'
import { FailureInDaemon } from '../command/operator-failure.ts'
import type { OperatorCommand, SettingsWork } from '../command/operator-command.ts'

/**
 * `depositd config check`: reads settings, templates and schemas as a start does, and asks the
 * database, the bucket and DataCite whether they answer. It makes and changes nothing.
 */
const checkConfig: SettingsWork = async (env, { tell }) => {
  const faults = new ConfigFaults()
  const config = await gatherConfig(env, {}, faults)
  const home = homeAt(config.home, config)
  if (!config.allowNetworkFs) await faults.of(() => requireLocalFileSystem(home.root))
  const isThere = existsSync(home.root)
  const isLocked = isThere && (await isReadOnly(home.root))
  const options = { ...config, allowNetworkFs: true }
  const isUsable = await faults.of(async () => {
    if (isLocked) await requireReadableHome(home.root, options)
    else if (isThere) await requireUsableHome(home.root)
    return true
  })
  await faults.of(() => requireKnownPlace(home))
  if (!isLocked) await faults.of(() => requireWritableFolders(home))
  const types = config.endpoints.map(({ pidType }) => pidType)
  // SQLite opens no database where nothing may be written.
  const isOpenable = isUsable && (home.databaseUrl !== undefined || !isLocked)
  const untold = isOpenable ? await faults.of(() => checkEndpoints(home, types)) : undefined
  await findFaults(config, faults)
  await requireAnswer(home, faults)
  const { datacite } = config.identifiers
  const asked = datacite && (await askDatacite(datacite, await readVersion(), faults))
  const locked = `${home.root} is read-only: no daemon can start there. ${advice.copyHome(home.root)}`
  const warnings = [
    ...config.warnings,
    ...(isLocked ? [locked] : []),
    ...(untold === undefined ? [] : [untold]),
    ...(asked?.kind === 'warning' ? [asked.text] : []),
  ]
  for (const warning of warnings) tell('note', `Warning: ${warning}`)
  faults.requireNone()
  if (asked?.kind === 'note') tell('note', asked.text)
  if (!isThere) tell('note', `${home.root} does not exist yet: serve will make it, empty.`)
  tell('note', `The configuration is valid, for ${describePlace(home)}.`)
  return { ending: 'done', data: { warnings, home: home.root } }
}

/**
 * Demands an endpoint for every deposit, and the bytes of the rows. A daemon has the file of its rows
 * for itself, so it is asked where one runs.
 *
 * @returns why that was not looked at
 * @throws {StartFailure} there are deposits of an endpoint that is not configured
 */
async function checkEndpoints(home: Home, known: readonly string[]): Promise<string | undefined> {
  const asked = { known: known.join(',') }
  try {
    const answer =
      home.databaseUrl === undefined ? await askDaemon(home, typesCommand.name, asked) : undefined
    if (!answer) {
      await requireEndpointsIn(home, known)
      await requireOwnBytes(home)
    } else await requireEndpoints({ otherPidTypes: async () => answer.results }, known)
    return undefined
  } catch (error) {
    if (!(error instanceof FailureInDaemon)) throw error
    return `The daemon that runs on ${home.root} is of another version: whether each deposit has its endpoint was not looked at.`
  }
}

/** As a start does, and nothing is made. @throws {StartFailure} the bytes are not those of the rows */
async function requireOwnBytes(home: Home): Promise<void> {
  const state = await schemaState(home)
  // The start migrates an old one before it looks.
  if (state === 'old') return
  if (state === 'none') {
    await requireOwnStore(home, newRows)
    return
  }
  await using rows = await openReaders(home)
  await requireOwnStore(home, rows)
  await requireLatestStore(home)
}

/** Asked of a running daemon alone. */
export const typesCommand: OperatorCommand = {
  name: 'config types',
  summary: 'list the types of identifiers that deposits have, beside those known',
  onlyReads: true,
  kind: 'short',
  run: async ({ database }, { known = '' }) => {
    const results = await database.read.deposits.otherPidTypes(known.split(','))
    return { notes: [], results, data: { types: [...results] } }
  },
}

/** Finds faults that only appear while the parts of a daemon are built. */
async function findFaults(config: DaemonConfig, faults: ConfigFaults): Promise<void> {
  const { values, endpoints } = config
  const origin = (): string => 'http://localhost'
  const schemas = await faults.of(() =>
    openSchemas({
      folder: homeAt(config.home).schemas,
      prefix: values.DEPOSIT_JSONSCHEMAS_PREFIX,
      defaultPath: values.DEPOSIT_DEFAULT_JSONSCHEMA,
      origin,
    }),
  )
  for (const endpoint of endpoints) {
    const { options, routes, pageUrl } = endpoint
    if (schemas) await faults.of(() => chooseSchemas(schemas, endpoint))
    const actions = { ...(options.record_class?.actions ?? ownActions), ...config.actions }
    const links = { origin, routes, pageUrl, itemRoutes: new Map(), actions: Object.keys(actions) }
    await faults.of(() => createLinks(links))
  }
}

export const configCommand: OperatorCommand = {
  name: 'config check',
  summary:
    'read settings, templates and schemas as a start does, and ask the stores and DataCite; all faults are named',
  kind: 'settings',
  run: checkConfig,
}
