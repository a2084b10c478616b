import { readConfig } from '../../config.ts'
import { originIn } from '../../exposure.ts'
import { homeAt } from '../../home.ts'
import { openSchemas } from '../../operator-schemas.ts'
import { describePlace } from '../../place.ts'
import type { OperatorCommand, SettingsWork } from '../operator-command.ts'

/** `depositd config check`: reads settings, templates and schemas as a start does; opens no store. */
const checkConfig: SettingsWork = async (env, { tell }) => {
  const config = await readConfig(env)
  const home = homeAt(config.home, config)
  const { values, warnings } = config
  await openSchemas({
    folder: home.schemas,
    prefix: values.DEPOSIT_JSONSCHEMAS_PREFIX,
    defaultPath: values.DEPOSIT_DEFAULT_JSONSCHEMA,
    origin: () => originIn(values),
  })
  for (const warning of warnings) tell('note', `Warning: ${warning}`)
  tell('note', `The configuration is good, for ${describePlace(home)}.`)
  return { ending: 'done', data: { warnings, home: home.root } }
}

export const configCommand: OperatorCommand = {
  name: 'config check',
  summary: 'read settings, templates and schemas as a start does; all faults are named, status 78',
  kind: 'settings',
  run: checkConfig,
}
