import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configKeys, environmentKeys } from '../../daemon/config/keys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const examples = new URL('../../examples/deployment/', import.meta.url)

const read = (path: string): Promise<string> => readFile(new URL(path, examples), 'utf8')

/** True where units can be checked; says so loudly where they cannot. */
function hasSystemd(): boolean {
  if (spawnSync('systemd-analyze', ['--version']).status === 0) return true
  process.stderr.write('\nSKIPPED: the units of the examples need systemd-analyze\n')
  return false
}

const units = [
  'systemd/depositd.service',
  'systemd/depositd@.service',
  'backup/deposit-backup.service',
  'backup/deposit-backup.timer',
]

describe.skipIf(!hasSystemd())('the units of the examples', () => {
  it.for(units)('pass systemd-analyze verify: %s', async (path) => {
    await using folder = await temporaryFolder()
    const name = path.split('/').at(-1)?.replace('@', '@8420') ?? ''
    const file = join(folder.path, name)
    const program = '/bin/true'
    // Neither the program nor its manual is installed here.
    const unit = (await read(path))
      .replaceAll(/^Documentation=.*$/gm, '')
      .replaceAll(/\/usr\/local\/(?:bin\/depositd|lib\/deposit\/backup\.sh)/g, program)
    await writeFile(file, unit)
    if (name.endsWith('.timer')) {
      const service = '[Service]\nType=oneshot\nExecStart=/bin/true\n'
      await writeFile(file.replace('.timer', '.service'), service)
    }

    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })

    expect([status, stderr]).toEqual([0, ''])
  })

  it.for(units.filter((path) => path.startsWith('systemd/')))(
    'leave an intruder little access: %s',
    async (path) => {
      await using folder = await temporaryFolder()
      const file = join(folder.path, 'depositd.service')
      await writeFile(file, (await read(path)).replaceAll('%i', '8420'))
      const args = ['security', '--offline=true', '--threshold=25', file]

      expect(() => execFileSync('systemd-analyze', args)).not.toThrow()
    },
  )
})

describe('the steps of the manual', () => {
  it('make every file and folder that the units name, for root but for the dumps', async () => {
    await using folder = await temporaryFolder()
    const manual = await readFile(new URL('../../man/depositd-deployment.8.md', examples), 'utf8')
    const steps = [...manual.matchAll(/^ {4}# (install .*)$/gm)].map(([, step = '']) => step)
    const uid = String(process.getuid?.() ?? '')
    for (const path of ['etc/systemd/system', 'usr/local/sbin', 'srv'])
      await mkdir(join(folder.path, path), { recursive: true })

    for (const step of steps) {
      const here = step
        .replaceAll(/ \/(?!dev\/)/g, ` ${folder.path}/`)
        .replace('-o deposit', `-o ${uid}`)
      execFileSync('sh', ['-c', here], { cwd: fileURLToPath(examples) })
    }

    const texts = await Promise.all([...units, 'systemd/depositd-admin'].map(read))
    const paths = /(?:\/etc\/deposit|\/var\/backups|\/usr\/local\/lib\/deposit)\/[\w./-]+/g
    const named = [...new Set(texts.flatMap((text) => text.match(paths) ?? []))].toSorted()
    const modes: Record<string, string> = {}
    for (const path of named)
      modes[path] = ((await stat(join(folder.path, path))).mode & 0o777).toString(8)
    expect(modes).toEqual({
      '/etc/deposit/aws-credentials': '600',
      '/etc/deposit/deposit.env': '644',
      '/etc/deposit/pgpass': '600',
      '/usr/local/lib/deposit/backup.sh': '755',
      '/var/backups/deposit': '700',
    })
    const made = await readdir(join(folder.path, 'etc/systemd/system'))
    expect(new Set(made)).toEqual(new Set(units.map((path) => path.split('/').at(-1))))
    expect(steps.filter((step) => step.includes('-o deposit'))).toEqual([
      'install -d -o deposit -m 700 /srv/deposit',
      'install -d -o deposit -m 700 /var/backups/deposit',
    ])
  })
})

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}
interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
  readonly volumes?: readonly string[]
}

describe('the files of the examples', () => {
  it('use only existing configuration keys, and contain no secret', async () => {
    const keys = { ...configKeys, ...environmentKeys }
    const compose = parse(await read('container/compose.yaml'), { merge: true }) as Compose
    const written = [
      ...(await read('systemd/deposit.env')).matchAll(/^(\w+)=(.*)$/gm),
      ...Object.values(compose.services).flatMap(({ environment = {} }) =>
        Object.entries(environment).map(([name, value]) => ['', name, value]),
      ),
    ]
    const named = written.filter(([, name = '']) => name.startsWith('DEPOSIT_'))
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter(([, name = '']) => !Object.hasOwn(keys, name))).toEqual([])
    for (const [, name, value = ''] of named) {
      const password = URL.canParse(value) ? new URL(value).password : ''
      expect([name, password]).toEqual([name, ''])
    }
  })

  it('of the container refer only to existing services, secrets and files', async () => {
    const compose = parse(await read('container/compose.yaml'), { merge: true }) as Compose
    const services = Object.values(compose.services)
    const upstream = await read('container/deposit-upstream.conf')
    const hosts = [...upstream.matchAll(/server ([\w-]+):8420/g)].map(([, host]) => host)
    expect(hosts.filter((host = '') => !Object.hasOwn(compose.services, host))).toEqual([])
    expect(hosts).toHaveLength(2)
    for (const { secrets = [], depends_on: needs = [], volumes = [] } of services) {
      expect(secrets.filter((name) => !Object.hasOwn(compose.secrets, name))).toEqual([])
      const wanted = Array.isArray(needs) ? needs : Object.keys(needs)
      expect(wanted.filter((name: string) => !Object.hasOwn(compose.services, name))).toEqual([])
      for (const volume of volumes.filter((path) => path.startsWith('.'))) {
        expect(await read(`container/${volume.split(':')[0]}`)).not.toBe('')
      }
    }
    const packed = await read('container/Containerfile')
    expect(packed).toContain('ENTRYPOINT ["depositd"]')
  })

  it('are all named in the manual', async () => {
    const manual = await readFile(new URL('../../man/depositd-deployment.8.md', examples), 'utf8')
    const names = (await readdir(examples, { withFileTypes: true })).map(({ name }) => name)
    expect(names.filter((name) => !manual.includes(`${name}/`))).toEqual([])
  })
})
