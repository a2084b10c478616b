import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exportFormats } from '../../core/index.ts'
import { bagOf, manifestOf } from '../support/bag.ts'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { describeDocument } from '../support/describe-document.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { zipOfFiles } from '../support/zip.ts'

useDaemon()

const payload = { 'metadata.yaml': 'title: Tides\n', 'b/a.csv': '1,2\n', '.hidden': 'x' }

/** Writes files into a folder where the commands run, and gives its name. */
async function place(files: Readonly<Record<string, string>>): Promise<string> {
  const name = `place-${randomUUID()}`
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workFolder(), name, path)), { recursive: true })
    await writeFile(join(workFolder(), name, path), text)
  }
  return name
}

/** The same as an archive with everything in one folder. */
async function pack(files: Readonly<Record<string, string>>): Promise<string> {
  const name = `place-${randomUUID()}.zip`
  const inFolder = Object.entries(files).map(([path, text]) => [`bag/${path}`, text] as const)
  await writeFile(join(workFolder(), name), zipOfFiles(Object.fromEntries(inFolder)))
  return name
}

async function countDeposits(): Promise<number> {
  const { stdout } = await deposit(['list', '--size', '1000', '--quiet'])
  return stdout.trimEnd().split('\n').length
}

describe('deposit create', () => {
  it.for([
    ['a bag', place],
    ['an archive of a bag', pack],
  ] as const)('takes the payload and the metadata of %s', async ([, make]) => {
    const path = await make(bagOf(payload))
    const { status, stdout, stderr } = await deposit(['create', path, '--json'])

    expect(status, stderr).toBe(0)
    const { id, metadata } = JSON.parse(stdout) as {
      readonly id: string
      readonly metadata: object
    }
    expect(metadata).toMatchObject({ title: 'Tides' })
    expect(await namesOf(id)).toEqual(['.hidden', 'b/a.csv'])
    expect(stderr).toContain(`${path} is a bag without faults, with a payload of 3 files`)
    expect((await deposit(['cat', id, 'b/a.csv'])).stdout).toBe('1,2\n')
  })

  it('takes the metadata of bag-info.txt, and leaves all there is to an archive of many files', async () => {
    const info =
      'External-Description: They rise.\nExternal-Identifier: ark:/1/2\nContact-Name: Ada\n'
    const many = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`${at}.txt`, `${at}`]))
    const path = await pack(bagOf(many, { files: { 'bag-info.txt': info } }))
    const { stdout, stderr } = await deposit(['create', path, '--title', 'Tides', '--json'])

    const { id, metadata } = JSON.parse(stdout) as {
      readonly id: string
      readonly metadata: object
    }
    expect(metadata).toMatchObject({
      title: 'Tides',
      description: 'They rise.',
      alternate_identifiers: [{ identifier: 'ark:/1/2' }],
    })
    expect(stderr).toContain('no field for it: Contact-Name')
    expect(await namesOf(id)).toHaveLength(450)
    expect((await deposit(['verify', path, id])).status).toBe(0)
  })

  it('takes the metadata of a crate, which stays a file', async () => {
    const graph = [
      { '@id': 'ro-crate-metadata.json', about: { '@id': './' } },
      { '@id': './', '@type': 'Dataset', name: 'Tides', hasPart: [{ '@id': 'a.csv' }] },
      { '@id': 'a.csv', '@type': 'File', contentSize: '1' },
    ]
    const files = { 'ro-crate-metadata.json': JSON.stringify({ '@graph': graph }), 'a.csv': '1' }
    for (const path of [await place(files), await pack(files)]) {
      const { stdout } = await deposit(['create', path, '--json'])
      const { id, metadata } = JSON.parse(stdout) as {
        readonly id: string
        readonly metadata: object
      }
      expect(metadata).toMatchObject({ title: 'Tides' })
      expect(await namesOf(id)).toEqual(['a.csv', 'ro-crate-metadata.json'])
    }
    const without = ['create', await place(files), '--exclude', 'a.csv', '--strict']
    expectFailure(
      await deposit(without),
      1,
      'a.csv: ro-crate-metadata.json describes it, but it is left out',
    )
    const bad = await deposit(['create', await place({ ...files, 'a.csv': '12' })])
    expectFailure(bad, 2, 'a.csv: it has 2 bytes, and 1 in ro-crate-metadata.json')
  })

  it.for([
    ['bag', place],
    ['archive', pack],
  ] as const)('refuses a bad %s with every fault, and leaves nothing', async ([, make]) => {
    let asked = 0
    const server = createServer((_, answer) => {
      asked += 1
      answer.end('1')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const fetch = `http://127.0.0.1:${port}/a 1 data/gone\n`
    const manifest = manifestOf('sha256', [
      ['data/gone', '1'],
      ['data/b/a.csv', '3,4\n'],
    ])
    const files = { 'fetch.txt': fetch, 'manifest-sha256.txt': manifest, 'bag-info.txt': undefined }
    const path = await make(bagOf({ 'b/a.csv': '1,2\n', 'new.csv': '' }, { files }))
    const before = await countDeposits()
    const faults = [
      'data/gone: manifest-sha256.txt lists it, but it is missing, and its address in fetch.txt is not fetched',
      'data/new.csv: it is in the folder of the payload, but in no manifest',
      'data/b/a.csv: its sha256 differs from that in manifest-sha256.txt',
    ]

    const failed = await deposit(['create', path, '--publish', '--yes'])
    expectFailure(failed, 2, 'it has 3 faults, listed above')
    for (const fault of faults) expect(failed.stderr).toContain(`error: ${fault}\n`)
    const { stdout } = await deposit(['create', path, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ error: { errors: [{}, {}, {}] } })
    const checked = await deposit(['check', path])
    expect(checked.stdout).toBe(faults.map((fault) => `${path}: ${fault}\n`).join(''))
    expect(checked.status).toBe(2)
    expect(await countDeposits()).toBe(before)
    server.close()
    expect(asked).toBe(0)
  })

  it('takes a damaged bag and a plain archive as they are with --as-is', async () => {
    const files = bagOf({ 'b/a.csv': '1' }, { files: { 'manifest-sha256.txt': '' } })
    const bag = await place(files)
    const archive = await pack(files)
    expectFailure(await deposit(['create', bag]), 2, `deposit create ${bag} --as-is`)
    const names = ['bag-info.txt', 'bagit.txt', 'data/b/a.csv', 'manifest-sha256.txt']

    const ofFolder = (await deposit(['create', bag, '--as-is', '--quiet'])).stdout.trim()
    expect(await namesOf(ofFolder)).toEqual(names)
    const ofArchive = await deposit(['create', archive, '--as-is', '--title', 'x', '--quiet'])
    expect(await namesOf(ofArchive.stdout.trim())).toEqual([archive])
    const id = await newDraft()
    expectFailure(await deposit(['upload', id, bag]), 2, '--as-is')
    expect((await deposit(['upload', id, bag, '--as-is'])).status).toBe(0)
    expect(await namesOf(id)).toEqual(names)
  })

  it('reads no values of a crate or a Data Package that are nested without end', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const about = '"about":{"@id":"./"},"conformsTo":{"@id":"https://w3id.org/ro/crate/1.2"}'
    const entity = `{"@id":"ro-crate-metadata.json","@type":"CreativeWork",${about}}`
    const root = `{"@id":"./","@type":"Dataset","name":${deep}}`
    const crate = await place({ 'ro-crate-metadata.json': `{"@graph":[${entity},${root}]}` })
    const made = await deposit(['create', crate, '--no-remember'])
    expect(made.status).toBe(0)
    expect(made.stderr).toContain('its values are nested more than 100 deep')

    const descriptor = await place({ 'datapackage.json': `{"resources":[],"title":${deep}}` })
    expectFailure(await deposit(['create', descriptor]), 2, 'datapackage.json')
  })

  it('leaves a folder with data/ and an archive without a bag as they are', async () => {
    const files = { 'data/a.csv': '1', 'manifest-sha256.txt': '' }
    const { stdout } = await deposit(['create', await place(files), '--quiet'])

    expect(await namesOf(stdout.trim())).toEqual(['data/a.csv', 'manifest-sha256.txt'])
    expectFailure(
      await deposit(['create', await pack(files)]),
      2,
      'it is a ZIP archive, but not of a bag, a crate or a Data Package',
    )
  })

  it('sees limits of access beside the payload of a bag', async () => {
    const rights = '<resource><rightsList><rights>Embargoed Access</rights></rightsList></resource>'
    const path = await place(bagOf(payload, { files: { 'metadata/datacite.xml': rights } }))

    expect((await deposit(['create', path, '--publish', '--yes'])).status).toBe(1)
    expect((await deposit(['check', path])).stdout).toContain('datacite.xml')
    const asIs = await deposit(['create', path, '--as-is', '--publish', '--title', 'x'])
    expect(asIs.status).toBe(1)
    expect(asIs.stderr).toContain('datacite.xml')
  })

  it('takes the metadata of datacite.xml beside the payload of a bag', async () => {
    const format = exportFormats.find(({ name }) => name === 'datacite-xml')
    const xml = format?.write(describeDocument({ title: 'Tides', license: 'MIT' })) ?? ''
    const files = bagOf({ 'a.csv': '1' }, { files: { 'metadata/datacite.xml': xml } })
    for (const path of [await place(files), await pack(files)]) {
      const { stdout } = await deposit(['create', path, '--dry-run', '--json'])
      const { metadata } = JSON.parse(stdout) as { readonly metadata: object }
      expect(metadata).toMatchObject({ title: 'Tides', license: 'MIT' })
    }
  })

  it('ends when it is interrupted while it verifies', async () => {
    const signal = AbortSignal.abort()

    expect((await deposit(['create', await place(bagOf(payload))], { signal })).status).toBe(130)
  })

  it('continues with the deposit that the folder of a bag knows', async () => {
    const path = await place(bagOf(payload))
    const { stdout } = await deposit(['create', path, '--quiet'])

    expect((await deposit(['create', path, '--quiet'])).stdout).toBe(stdout)
    expect((await deposit(['status', path, '--json=changes'])).stdout).toContain('"added": []')
    expect((await deposit(['verify', path])).status).toBe(0)
  })
})

describe('deposit create of an archive', () => {
  it('continues with one draft, also after a kill, and leaves no copies', async () => {
    await using proxy = await cuttingProxy(daemonUrl())
    await using temporary = await temporaryFolder()
    const archive = await pack(bagOf(payload))
    const before = await countDeposits()
    const token = (await deposit(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
    const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: token, TMPDIR: temporary.path }
    const at = { folder: workFolder() }
    using killed = startDeposit(['create', archive, '--quiet'], environment, at)
    proxy.cut(/^(?:PUT|POST) .*(?:files|bundles)/, 1, () => killed.kill('SIGKILL'))
    expect(await killed.ended).toMatchObject({ status: null })
    expect(await readdir(temporary.path)).not.toEqual([])
    using again = startDeposit(['create', archive, '--quiet'], environment, at)
    const { status, stdout } = await again.ended

    expect(status).toBe(0)
    expect(await namesOf(stdout.trim())).toEqual(['.hidden', 'b/a.csv'])
    expect(await countDeposits()).toBe(before + 1)
    expect(await readdir(temporary.path)).toEqual([])
    expect(await readdir(workFolder())).not.toContain('.deposit.json')
  })

  it('makes another for an archive that has changed, and with --new', async () => {
    const archive = await pack(bagOf(payload))
    const create = async (...more: readonly string[]): Promise<string> => {
      const { status, stdout, stderr } = await deposit(['create', archive, '--quiet', ...more])
      expect(status, stderr).toBe(0)
      return stdout.trim()
    }
    const first = await create()
    expect(await create()).toBe(first)
    const other = await create('--new')
    expect(other).not.toBe(first)
    expect(await create()).toBe(other)
    await copyFile(
      join(workFolder(), await pack(bagOf({ 'b.csv': '1' }))),
      join(workFolder(), archive),
    )
    expect([first, other]).not.toContain(await create())
  })
})

describe('deposit upload', () => {
  it('takes the payload of a bag, and an archive as a file or with --unpack its files', async () => {
    const [folder, archive] = [await place(bagOf(payload)), await pack(bagOf(payload))]
    const ids = [await newDraft(), await newDraft(), await newDraft()]
    const [ofFolder = '', asFile = '', unpacked = ''] = ids
    const names = ['.hidden', 'b/a.csv', 'metadata.yaml']

    await deposit(['upload', ofFolder, folder])
    expect(await namesOf(ofFolder)).toEqual(names)
    await deposit(['upload', asFile, archive])
    expect(await namesOf(asFile)).toEqual([archive])
    await deposit(['upload', unpacked, archive, '--unpack', '--exclude', '.*'])
    expect(await namesOf(unpacked)).toEqual(names.slice(1))
    // Run again, it sends nothing.
    const { stdout } = await deposit(['upload', unpacked, archive, '--unpack', '--exclude', '.*'])
    expect(stdout).toBe('')
  })
})
