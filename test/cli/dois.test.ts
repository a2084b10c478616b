import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { doiDaemon, doiOf, type DoiDaemon } from '../support/doi-daemon.ts'
import { bodyOf } from '../support/http.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { User } from '../support/user.ts'

let fixture: DoiDaemon
let ada: User
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  fixture = await doiDaemon()
  const { daemon, home } = fixture
  ada = daemon.as('ada')
  const { authorization = '' } = await ada.authorization()
  environment = {
    DEPOSIT_HOME: home,
    DEPOSIT_URL: daemon.origin,
    DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
  }
})
afterAll(() => fixture[Symbol.asyncDispose]())

const run = (...args: readonly string[]): Promise<Outcome> => runCli(args, { environment })
const draft = async (): Promise<string> => (await ada.createDraft({ title: 'Tides' })).id

describe('deposit reserve', () => {
  it('prints the DOI alone, the same again, and show tells it', async () => {
    const id = await draft()
    const { status, stdout } = await run('reserve', id)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^10\.5072\/\S+\n$/)

    expect((await run('reserve', id)).stdout).toBe(stdout)
    expect((await run('reserve', id, '--json', 'pids.doi.value')).stdout).toContain(stdout.trim())
    expect((await run('show', id)).stdout).toMatch(/^DOI: 10\.5072\/\S+ \(reserved\)$/m)
  })

  it('says what to do where the metadata name a DOI from elsewhere', async () => {
    const { id } = await ada.createDraft({ title: 'Tides', doi: '10.1234/article' })
    const { status, stdout, stderr } = await run('reserve', id)
    expect({ status: status === 0, stdout }).toEqual({ status: false, stdout: '' })
    expect(stderr).toContain('The metadata name the DOI 10.1234/article, and a record has one DOI.')
    expect((await run('update', id, '--unset', 'doi')).status).toBe(0)
    expect((await run('reserve', id)).status).toBe(0)
  })

  it('prints the DOI of a record that is published', async () => {
    const published = await ada.createPublished()
    const { value } = await doiOf(ada, published)
    const { status, stdout, stderr } = await run('reserve', published.id)
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${value}\n` })
    expect(stderr).toContain('was published: its record has its DOI')
  })
})

describe('deposit publish --wait-doi', () => {
  it('prints the address of the DOI once it is registered', async () => {
    const id = await draft()
    const { status, stdout } = await run('publish', id, '--wait-doi', '--quiet')
    const shown = await ada.show({ id })
    expect(status).toBe(0)
    expect(stdout).toBe(`${id}\n`)
    expect(shown.pids?.doi).toMatchObject({ status: 'registered' })

    const other = await run('publish', await draft(), '--wait-doi=30')
    expect(other.stdout).toMatch(/^https:\/\/doi\.org\/10\.5072\/\S+\n$/)
    expect((await run('show', id)).stdout).toMatch(/^DOI: https:\/\/doi\.org\/10\.5072\/\S+$/m)
  })

  it('ends with 5 where DataCite refuses it, and tells the reason', async () => {
    const body = JSON.stringify({ errors: [{ source: 'creators', title: 'No creators.' }] })
    fixture.datacite.fault = () => ({ status: 422, body })
    const id = await draft()
    const { status, stderr } = await run('publish', id, '--wait-doi')
    fixture.datacite.fault = () => undefined

    expect(status).toBe(5)
    expect(stderr).toContain('it is published, and its DOI is refused: DataCite: No creators.')
    expect((await run('show', id)).stdout).toContain('No creators. (/creators)')
    await doiOf(ada, { id }, 'refused')
  })

  it('waits as well where the deposit is published already', async () => {
    fixture.datacite.fault = () => ({ status: 503, headers: { 'retry-after': '1' }, body: '{}' })
    const published = await ada.createPublished()
    const { status, stderr } = await run('publish', published.id, '--wait-doi=0')
    expect(status).toBe(6)
    expect(stderr).toContain('it is published, and after 0 s its DOI is pending')
    fixture.datacite.fault = () => undefined
    const later = await run('publish', published.id, '--wait-doi=30')
    expect(later).toMatchObject({ status: 0 })
    expect(later.stdout).toMatch(/^https:\/\/doi\.org\/10\.5072\/\S+\n$/)
  })

  it('ends with 6 where DataCite is away for longer', async () => {
    fixture.datacite.fault = () => ({ status: 503, body: '{}' })
    const { status, stderr } = await run('publish', await draft(), '--wait-doi=0')
    fixture.datacite.fault = () => undefined

    expect(status).toBe(6)
    expect(stderr).toContain('it is published, and after 0 s its DOI is pending')
  })
})

describe('deposit cite of all versions', () => {
  it('cites them by the DOI that they share, and by no version', async () => {
    const first = await ada.createPublished({ title: 'Tides', version: '1.0' })
    const { url } = await doiOf(ada, first, 'registered')
    const ofAll = async () => (await ada.show(first)).pids.concept.doi
    await expect.poll(async () => (await ofAll())?.status).toBe('registered')
    const all = await ofAll()
    const concept = first.pids.concept.value

    const one = await run('cite', first.id)
    expect(one.stdout).toContain(url)
    expect(one.stdout).toContain('1.0')
    const cited = await run('cite', first.id, '--all-versions')
    expect(cited).toMatchObject({ status: 0 })
    expect(cited.stdout).toContain(all?.url)
    expect(cited.stdout).not.toContain('1.0')
    for (const name of [concept, all?.value ?? '', all?.url ?? ''])
      expect((await run('cite', name)).stdout).toBe(cited.stdout)
    expect((await run('show', first.id)).stdout).toContain(`DOI of all versions: ${all?.url}\n`)

    const next = await ada.publish(bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201))
    const headers = { accept: 'text/html' }
    const page = await fetch(next.links['record_html'] ?? '', { headers })
    const html = await page.text()
    expect(html).toContain('All versions (APA)')
    const [, citation = ''] = /id="cite-all-versions">([^<]*)</.exec(html) ?? []
    expect(citation).toContain(all?.value)
  })
})

describe('a folder whose version was withdrawn', () => {
  it('is told the newest version that is public now', async () => {
    await using folder = await temporaryFolder({ 'metadata.yaml': 'title: Tides\n', 'a.csv': '1' })
    const here = (...args: readonly string[]) => runCli(args, { environment, folder: folder.path })
    const first = (await here('create', '.', '--publish', '--json', 'links')).stdout
    const { links } = JSON.parse(first) as Pick<DepositBody, 'links'>
    expect(await here('update', '--set', 'title=Levels')).toMatchObject({ status: 5 })
    const draft = (await here('newversion')).stdout.trim()
    expect(await here('update', '--set', 'title=Levels')).toMatchObject({ status: 0 })
    await here('publish', draft, '--yes')
    await here('withdraw', draft, '--reason', 'test', '--yes')

    const { stdout } = await here('status')
    expect(stdout).toContain(`The newest public version is now ${links['record_html']}\n`)
    expect(stdout).not.toContain('Newer version')
    expect((await here('restore-record', draft, '--dry-run')).stderr).toContain(
      `Would restore the record of ${draft}`,
    )
  })
})

describe('deposit release --wait-doi', () => {
  it('prints the address of the DOI, also where there is nothing to publish any more', async () => {
    await using folder = await temporaryFolder({ 'metadata.yaml': 'title: Tides\n', 'a.csv': '1' })
    const release = () =>
      runCli(['release', '--yes', '--wait-doi'], { environment, folder: folder.path })

    const first = await release()
    const again = await release()

    expect(first.stdout).toMatch(/^https:\/\/doi\.org\/10\.5072\/\S+\n$/)
    expect([first.status, again.status]).toEqual([0, 0])
    expect(again.stdout).toBe(first.stdout)
  })
})

describe('an exported OCFL object', () => {
  it('gets the next revision also after the DOI of the record was registered', async () => {
    await using folder = await temporaryFolder()
    const object = join(folder.path, 'object')
    const { datacite } = fixture
    datacite.fault = () => ({ status: 503, headers: { 'retry-after': '1' } })
    const deposit = await ada.createPublished()
    const words = ['export', deposit.id, '--as', 'ocfl', '--output', object]
    const first = await run(...words)
    datacite.fault = () => undefined
    await doiOf(ada, deposit, 'registered')
    await ada.publish(await ada.edit(deposit))

    const second = await run(...words)

    expect([first.status, second.status]).toEqual([0, 0])
    const inventory = await readFile(join(object, 'inventory.json'), 'utf8')
    expect(JSON.parse(inventory)).toMatchObject({ head: 'v2' })
    expect(await run(...words)).toMatchObject({ status: 0 })
  })
})
