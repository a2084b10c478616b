import { startDataCite } from './datacite/datacite.ts'
import { startDataverse } from './dataverse/dataverse.ts'
import { startFigshare } from './figshare/figshare.ts'
import { startRdm } from './rdm/rdm.ts'
import { startZenodo } from './zenodo/zenodo.ts'
import type { FakeService, ServiceOptions } from './service.ts'

/**
 * Runs a service as a program: `node test/support/services/main.ts datacite 8081`. The address is the
 * first line it writes; it ends with its input.
 */
const services: Readonly<Record<string, (options: ServiceOptions) => Promise<FakeService>>> = {
  datacite: startDataCite,
  dataverse: startDataverse,
  figshare: startFigshare,
  rdm: startRdm,
  zenodo: startZenodo,
}

const [name = '', port = '0'] = process.argv.slice(2)
const start = services[name]
if (!start) throw new Error(`no service "${name}": there are ${Object.keys(services).join(', ')}`)
const { url } = await start({ port: Number(port) })
process.stdout.write(`${url}\n`)
process.stdin.resume().once('end', () => process.exit())
