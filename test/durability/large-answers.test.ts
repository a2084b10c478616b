import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxBundleFiles } from '../../core/contract/uploads.ts'
import type { DepositBody, FileBody, RecordBody, SearchBody } from '../../core/contract/schemas.ts'
import { form, formType } from '../support/form.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { runCli } from '../support/run-cli.ts'
import { testDaemon } from '../support/test-daemon.ts'

const MiB = 2 ** 20
/** The bytes at which a list ends, plus those by which its last item may exceed them. */
const most = 8 * MiB + MiB

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

/** A document of nearly a mebibyte. */
const large = (title: string) => ({ title, notes: 'x'.repeat(MiB - 1000) })

/** The target of a relation in the `Link` header. */
function linkOf(reply: Reply, name: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${name}"`).exec(reply.headers.get('link') ?? '')?.[1]
}

/** Follows `next` from a list to its end. */
async function followed(first: Reply, get: (url: string) => Promise<Reply>) {
  const pages = [first]
  for (let next = linkOf(first, 'next'); next !== undefined;) {
    const page = await get(next)
    pages.push(page)
    next = linkOf(page, 'next')
  }
  return pages
}

describe('A list of large documents', () => {
  const ada = daemon.as('ada')
  const titles = Array.from({ length: 12 }, (_, index) => `Number ${index}`)
  const drafts: DepositBody[] = []

  it('ends at 8 MiB, and `next` leads through the rest', async () => {
    for (const title of titles) drafts.push(await ada.createDraft(large(title)))
    const first = await ada.get('/deposits/?size=10')
    const pages = await followed(first, (url) => ada.get(url))
    const bodies = pages.map((page) => bodyOf<SearchBody>(page, 200))

    for (const page of pages) expect(page.bytes.length).toBeLessThan(most)
    expect(first.bytes.length).toBeGreaterThan(most / 2)
    const ids = bodies.flatMap(({ hits }) => hits.hits.map(({ id }) => id))
    expect(ids).toEqual(drafts.map(({ id }) => id).toReversed())
    for (const { hits } of bodies) expect(hits.total).toBe(12)
    expect(bodies[0]?.links.next).toBe(linkOf(first, 'next'))
  })

  it('ends there also with a query, and with indented JSON', async () => {
    const [plain, indented] = [
      await ada.get('/deposits/?q=title:Number&size=100'),
      await ada.get('/deposits/?q=title:Number&size=100&prettyprint=1'),
    ]

    const body = bodyOf<SearchBody>(plain, 200)
    expect(body.hits.hits.length).toBeLessThan(12)
    expect(body.hits.total).toBe(12)
    const { links: _, ...rest } = body
    const { links, ...same } = bodyOf<SearchBody>(indented, 200)
    expect(same).toEqual(rest)
    expect(indented.bytes.toString()).toBe(JSON.stringify({ ...same, links }, null, 2))
    expect((await ada.send('HEAD', '/deposits/?size=10')).status).toBe(200)
  })

  it('shows each document exactly as the deposit and the record show it', async () => {
    const bea = daemon.as('bea')
    const odd = { title: '"metadata":{', 10: '\\ \u2028 é "', 9: [{}], notes: 'é'.repeat(100_000) }
    const deposit = await bea.createPublished(odd)
    const item = bodyOf<DepositBody>(await bea.get(`/deposits/${deposit.id}`), 200)
    const record = bodyOf<RecordBody>(await bea.get(deposit.links['record'] ?? ''), 200)
    const revisions = await bea.get(`${deposit.links['record']}/revisions`)
    const { hits } = await bea.search('size=1')

    expect(hits.hits).toEqual([item])
    expect(item.metadata).toMatchObject(odd)
    expect(bodyOf<readonly RecordBody[]>(revisions, 200)).toEqual([record])
    expect(record.metadata).toMatchObject(odd)
  })

  it('is shown whole by the command line', async () => {
    const { authorization = '' } = await ada.authorization()
    const environment = {
      DEPOSIT_URL: daemon.origin,
      DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
    }
    const { stdout } = await runCli(['list', '--size', '11', '--quiet'], { environment })

    const ids = drafts.map(({ id }) => id).toReversed()
    expect(stdout.trim().split('\n')).toEqual(ids.slice(0, 11))
  })

  it('is paged by an offset, up to the end of the window', async () => {
    const { hits, links } = await ada.search('offset=1&size=2')

    expect(hits.hits.map(({ id }) => id)).toEqual([drafts[10]?.id, drafts[9]?.id])
    expect(links.prev).toMatch(/page=1&size=2$|size=2&page=1$/)
    expect(links.next).toMatch(/offset=3/)
    expect((await ada.get('/deposits/?offset=9999&size=2')).status).toBe(400)
  })
})

describe('A search of large documents', () => {
  const eve = daemon.as('eve')
  const words = (from: number) => Array.from({ length: 60_000 }, (_, i) => `w${from + i}`).join(' ')

  it('finds documents too large for memory in an index on disk, also after changes', async () => {
    for (const from of [0, 1, 2]) await eve.createDraft({ title: 'Long', notes: words(from) })
    const total = async (q: string) => (await eve.search(`q=${encodeURIComponent(q)}`)).hits.total

    expect(await total('w60001')).toBe(1)
    expect(await total('w5 AND w59999')).toBe(3)
    expect(await total('w6000* AND notes:w60000')).toBe(2)
    await eve.createDraft({ title: 'Short', notes: 'w60001' })
    expect(await total('w60001')).toBe(2)
  })

  it('refuses a query with too many prefixes, near words or ranges, and names the limit', async () => {
    const query = (clause: string, times: number) =>
      eve.get(`/deposits/?q=${encodeURIComponent(Array(times).fill(clause).join(' OR '))}`)

    expectProblem(await query('w1~2', 9), 'invalid_query', /8 words with \* or ~/)
    expectProblem(await query('w1*', 9), 'invalid_query', /8 words with \* or ~/)
    expectProblem(await query('a:[1 TO 5]', 17), 'invalid_query', /16 ranges/)
    expect((await query('a:[1 TO 5]', 16)).status).toBe(200)
    expect((await query('w1~1', 8)).status).toBe(200)
  })
})

describe('A list of files with long names', () => {
  const ida = daemon.as('ida')
  /** Keys of 1,018 bytes; links need three characters for each byte. */
  const keys = Array.from(
    { length: 1300 },
    (_, index) => `${String(index).padStart(4, '0')}/${`${'é'.repeat(126)}/`.repeat(4)}f`,
  )
  const namesOf = (pages: readonly Reply[]) =>
    pages.flatMap((page) => bodyOf<FileBody[]>(page, 200).map(({ filename }) => filename))
  let draft: DepositBody

  beforeAll(async () => {
    draft = await ida.createDraft()
    for (let start = 0; start < keys.length; start += maxBundleFiles) {
      const files = keys.slice(start, start + maxBundleFiles)
      const body = form(...files.map((filename) => ({ name: 'file', filename, content: 'x' })))
      const sent = { body, headers: { 'content-type': formType } }
      expect((await ida.post(draft.links['bundles'] ?? '', sent)).status).toBe(201)
    }
  })

  it('ends at 8 MiB, and Link leads through the rest', async () => {
    for (const name of ['files', 'bucket']) {
      const first = await ida.get(draft.links[name] ?? '')
      const pages = await followed(first, (url) => ida.get(url))

      expect(pages.length).toBeGreaterThan(1)
      for (const page of pages) expect(page.bytes.length).toBeLessThan(most)
      expect(first.bytes.length).toBeGreaterThan(most / 2)
      expect(namesOf(pages)).toEqual(keys)
    }
  })

  it('ends there also when it is sorted, and has every version once', async () => {
    const listed = await ida.files(draft)
    const all = await followed(await ida.get(draft.links['files'] ?? ''), (url) => ida.get(url))
    const ids = all.flatMap((page) => bodyOf<FileBody[]>(page, 200).map(({ id }) => id))
    expect(listed.length).toBeLessThan(ids.length)
    const reversed = ids.toReversed().map((id) => ({ id }))
    const sorted = await ida.put(draft.links['files'] ?? '', reversed)
    const pages = await followed(sorted, (url) => ida.get(url))
    expect(namesOf(pages)).toEqual(keys.toReversed())

    const [second = ''] = keys.toReversed().slice(1)
    expect((await ida.putObject(draft, second, 'another')).status).toBe(200)
    const versions = await followed(await ida.get(`${draft.links['bucket']}?versions`), (url) =>
      ida.get(url),
    )
    for (const page of versions) expect(page.bytes.length).toBeLessThan(most)
    expect(namesOf(versions)).toEqual(
      keys.toReversed().flatMap((key) => (key === second ? [key, key] : [key])),
    )
    await ida.put(
      draft.links['files'] ?? '',
      ids.map((id) => ({ id })),
    )
  })

  it('is paged when the request asks for pages', async () => {
    const second = await ida.get(`${draft.links['files']}?page=2&size=3`)
    expect(namesOf([second])).toEqual(keys.slice(3, 6))
    expect(linkOf(second, 'next')).toMatch(/page=3&size=3$/)
    expect(linkOf(second, 'prev')).toMatch(/page=1&size=3$/)
    const last = await ida.get(`${draft.links['bucket']}?versions&offset=1300&size=5`)
    expect(namesOf([last])).toHaveLength(1)
    expect(linkOf(last, 'next')).toBeUndefined()
    expectProblem(await ida.get(`${draft.links['files']}?size=0`), 'invalid_paging')
  })

  it('of a record is public and ends there, and the command line shows it whole', async () => {
    const published = await ida.publish(draft)
    const url = published.links['bucket'] ?? ''
    const pages = await followed(await daemon.visitor.get(url), (next) => daemon.visitor.get(next))
    expect(pages.length).toBeGreaterThan(1)
    expect(namesOf(pages)).toEqual(keys)
    const { authorization = '' } = await ida.authorization()
    const environment = {
      DEPOSIT_URL: daemon.origin,
      DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
    }
    const { stdout } = await runCli(['files', draft.id, '--quiet'], { environment })
    expect(stdout.trim().split('\n')).toHaveLength(keys.length)
  })
})

describe('The revisions of a record', () => {
  it('are paged, and end at 8 MiB', async () => {
    const admin = daemon.as('curator', { admin: true })
    const published = await admin.createPublished(large('0'))
    const { links } = published
    for (let revision = 1; revision < 12; revision += 1) {
      expect((await admin.put(links['record'] ?? '', large(String(revision)))).status).toBe(200)
    }
    const url = `${links['record']}/revisions`
    const first = await daemon.visitor.get(url)
    const pages = await followed(first, (next) => daemon.visitor.get(next))

    for (const page of pages) expect(page.bytes.length).toBeLessThan(most)
    const all = pages.flatMap((page) => bodyOf<readonly RecordBody[]>(page, 200))
    expect(all.map(({ revision }) => revision)).toEqual(Array.from({ length: 12 }, (_, i) => i))
    const second = await daemon.visitor.get(`${url}?page=2&size=5`)
    const five = bodyOf<readonly RecordBody[]>(second, 200)
    expect(five).toMatchObject(['5', '6', '7', '8', '9'].map((title) => ({ metadata: { title } })))

    const page = await daemon.visitor.get(links['record_html'] ?? '', { accept: 'text/html' })
    expect(page.bytes.toString().match(/Changed: title/g)).toHaveLength(11)
  })
})

describe('The page of a record', () => {
  const ada = daemon.as('ada')
  const pageOf = async (metadata: unknown): Promise<string> => {
    const { links } = await ada.createPublished(metadata)
    const reply = await daemon.visitor.get(links['record_html'] ?? '', { accept: 'text/html' })
    expect(reply.status).toBe(200)
    const html = reply.bytes.toString()
    expect(html).toContain(`<a href="${links['record']}">JSON</a>`)
    return html
  }

  it('cuts a title of a million characters, and links to the JSON', async () => {
    const html = await pageOf({ title: '<'.repeat(990_000) })

    expect(html.length).toBeLessThan(200_000)
    expect(html).toContain('Long texts and lists are shortened on this page.')
  })

  it('cuts long lists, deep values and many fields', async () => {
    const people = Array.from({ length: 9000 }, (_, index) => ({
      name: `Person ${index}`,
      orcid: '0000-0002-1825-0097',
    }))
    const values = Array.from({ length: 200 }, (_, index) => [
      `field${index}`,
      Array.from({ length: 150 }, (__, inner) => ({ name: `${index} ${inner} <&>` })),
    ])
    const wide = Object.fromEntries(values) as Record<string, unknown>

    expect((await pageOf({ title: 'Many', creators: people })).length).toBeLessThan(400_000)
    expect((await pageOf({ title: 'Wide', ...wide })).length).toBeLessThan(1_000_000)
  })

  it('names all authors in citations and tags, however many it shows', async () => {
    const creators = Array.from({ length: 150 }, (_, index) => ({ name: `Author ${index}` }))

    const html = await pageOf({ title: 'A collaboration', creators })

    expect(html).toContain('and {Author 149}}')
    expect(html).toContain('AU  - Author 149')
    expect(html).toContain('<meta name="citation_author" content="Author 149"')
    expect(html).toContain('"name":"Author 149"')
    expect(html).toContain('Long texts and lists are shortened')
  })

  it('shows an ordinary record whole', async () => {
    const html = await pageOf({ title: 'Tide', description: 'x'.repeat(9000) })

    expect(html).toContain('x'.repeat(9000))
    expect(html).not.toContain('Long texts and lists are shortened')
  })
})
