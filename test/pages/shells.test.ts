import { beforeAll, afterAll, describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the pages, before any script runs', () => {
  let daemon: TestDaemon
  beforeAll(async () => {
    daemon = await testDaemon()
  })
  afterAll(() => daemon[Symbol.asyncDispose]())
  const get = (path: string, headers: Readonly<Record<string, string>> = browser) =>
    send('GET', daemon.origin + path, { headers })

  it.for([
    '/',
    '/records',
    '/deposit',
    '/deposit/new',
    '/deposit/account',
    '/deposit/nothing',
    '/admin',
    '/admin/audit',
  ])('answer %s with a policy that runs no foreign script', async (path) => {
    const { headers } = await get(path)

    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  it('redirect from localhost to the address for signing in', async () => {
    const { port } = new URL(daemon.origin)
    const { status, headers } = await send('GET', `http://localhost:${port}/deposit?q=tide`)

    expect([status, headers.get('location')]).toEqual([302, `${daemon.origin}/deposit?q=tide`])
    expect((await send('GET', `http://localhost:${port}/health`)).status).toBe(200)
  })

  it('answer 404 for an unknown deposit without repeating its name', async () => {
    const { status, bytes } = await get('/deposit/%3Cscript%3Ealert(1)')

    expect(status).toBe(404)
    expect(bytes.toString()).not.toContain('<script>alert')
  })

  it.for(['/foo', '/records/nothing/more', '/api/nothing'])(
    'answer the unknown address %s with a page, programs with JSON',
    async (path) => {
      const page = await get(path)
      const json = await get(path, { accept: '*/*' })

      expect([page.status, page.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      expect(page.bytes.toString()).toContain('There is nothing here')
      expect([json.status, json.body]).toMatchObject([404, { code: 'not_found' }])
    },
  )

  it('answer 410 with a tombstone for a deposit that was deleted', async () => {
    const ada = daemon.as('ada')
    const { id } = await ada.createDraft()
    await ada.delete(`/deposits/${id}`)

    const { status, bytes } = await get(`/deposit/${id}`)

    expect(status).toBe(410)
    expect(bytes.toString()).toContain('This deposit was deleted')
  })

  it('load compressed scripts that browsers cache forever', async () => {
    const { bytes } = await get('/deposit')
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(bytes.toString())?.[1] ?? ''

    const { headers } = await get(script, { 'accept-encoding': 'br' })

    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('content-encoding')).toBe('br')
  })
})

describe('the page of a record', () => {
  const metadata = {
    title: 'Sea level </script><b>',
    creators: [{ name: 'Lovelace, Ada', orcid: '0000-0002-1825-0097' }],
    publication_date: '2026-11-20',
    resource_type: 'dataset',
    license: 'CC-BY-4.0',
    version: '1.0',
    language: 'de',
    funding: [{ award: 'BR 4711', funder: 'German Research Foundation' }],
  }

  async function publish(daemon: TestDaemon) {
    const ada = daemon.as('ada')
    const { id } = await ada.createDraft(metadata)
    const { body } = await ada.post(`/deposits/${id}/actions/publish`)
    const { _deposit } = (body as Published).metadata
    return `${daemon.origin}/records/${_deposit.value}`
  }

  it('is JSON for a program that asks for JSON', async () => {
    await using daemon = await testDaemon()
    const url = await publish(daemon)

    const { headers, body } = await send('GET', url, { headers: { accept: 'application/json' } })

    expect(headers.get('vary')).toContain('accept')
    expect(body).toMatchObject({ metadata: { title: metadata.title } })
  })

  it('respects q=0 in Accept', async () => {
    await using daemon = await testDaemon()
    const url = await publish(daemon)
    const typeFor = async (accept: string): Promise<string | null> =>
      (await send('GET', url, { headers: { accept } })).headers.get('content-type')

    expect(await typeFor('text/html;q=0, */*')).toMatch(/^application\/json/)
    expect(await typeFor('application/json;q=0, */*;q=0.1')).toMatch(/^text\/html/)
    const refused = await send('GET', url, { headers: { accept: 'text/html;q=0' } })
    expect(refused.status).toBe(406)
    const croissant = 'application/ld+json; profile="http://mlcommons.org/croissant/1.1"'
    expect(await typeFor('text/html;q=0.1, application/x-bibtex')).toBe('application/x-bibtex')
    expect(await typeFor(`${croissant}, application/ld+json;q=0.9`)).toContain('croissant')
    expect(await typeFor('application/ld+json; profile="x:y"')).not.toContain('profile')
    expect(await typeFor('text/x-bibliography; style=ieee')).toContain('style=ieee')
    const unknown = { headers: { accept: 'text/x-bibliography; style=none' } }
    expect((await send('GET', url, unknown)).status).toBe(406)
  })

  it('shows the record without any script, its title as text', async () => {
    await using daemon = await testDaemon()
    const url = await publish(daemon)
    const page = (await send('GET', url, { headers: browser })).bytes.toString()

    expect(page).toContain(`<a class="permalink" href="${url}">${url.split('/').at(-1)}</a>`)
    expect(page).toContain('Sea level &#60;/script&#62;&#60;b&#62;</h1>')
    expect(page).not.toContain('</script><b>')
    expect(page).toContain('Lovelace, A. (2026). Sea level')
    expect(page).toContain('First published')
    expect(page).toContain('<dd>German</dd>')
    expect(page).toContain('German Research Foundation · grant BR 4711')
  })

  it('describes itself to machines: schema.org, Highwire and signposting', async () => {
    await using daemon = await testDaemon()
    const url = await publish(daemon)
    const { bytes, headers } = await send('GET', url, { headers: browser })
    const page = bytes.toString()

    const json = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page)?.[1] ?? ''
    expect(JSON.parse(json)).toMatchObject({
      '@type': 'Dataset',
      '@id': url,
      name: metadata.title,
      creator: [{ '@type': 'Person', name: 'Lovelace, Ada' }],
    })
    expect(page).toContain('<meta name="citation_author" content="Lovelace, Ada" />')
    const link = headers.get('link') ?? ''
    expect(link).toContain(`<${url}>; rel="cite-as"`)
    expect(link).toContain('<https://orcid.org/0000-0002-1825-0097>; rel="author"')
    expect(link).toContain('rel="describedby"; type="application/json"')
  })
})

describe('a template of the operator', () => {
  it('replaces the one of the package', async () => {
    await using daemon = await testDaemon({
      env: { DEPOSIT_UI_PROBLEM_TEMPLATE: 'problem.html' },
      files: { 'problem.html': '<h1>Our own page: {{title}}</h1>' },
    })

    const { bytes } = await send('GET', `${daemon.origin}/deposit/nothing`, { headers: browser })

    expect(bytes.toString()).toContain('Our own page: There is nothing here')
  })
})

describe('the links of a record', () => {
  it('are shortened in the head of its page, and complete in its linkset', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const orcid = '0000-0002-1825-0097'
    const license = `https://example.org/${'x'.repeat(3000)}`
    const creators = [{ name: 'Carberry, Josiah', orcid }]
    const draft = await ada.createDraft({ title: 'Many files', creators, license })
    const names = Array.from({ length: 31 }, (_, at) => `${'измерение/'.repeat(20)}${at}.csv`)
    for (const name of names) await ada.addFile(draft, name, 'x')
    const { links } = await ada.publish(draft)
    const [page, record] = [links['record_html'] ?? '', links['record'] ?? '']

    const shown = await send('GET', page, { headers: browser })
    const header = shown.headers.get('link') ?? ''
    expect(header.length).toBeLessThan(2048)
    expect([...header.matchAll(/rel="([^"]+)"/g)].map(([, rel]) => rel)).toEqual([
      'cite-as',
      'type',
      'type',
      'describedby',
      'describedby',
      'describedby',
      'linkset',
    ])
    const linkset = /<([^>]+)>; rel="linkset"; type="application\/linkset\+json"/.exec(header)?.[1]
    expect(shown.bytes.toString()).toContain(`<link rel="linkset" href="${linkset}"`)

    const { headers, body } = await send('GET', linkset ?? '')
    expect(headers.get('content-type')).toContain('application/linkset+json')
    const [own, ...others] = (body as Linkset).linkset
    const files = others.slice(-names.length)
    const back = [{ href: page, type: 'text/html' }]
    expect(own).toMatchObject({
      anchor: page,
      'cite-as': [{ href: page }],
      author: [{ href: `https://orcid.org/${orcid}` }],
      license: [{ href: license }],
    })
    expect(own?.item).toHaveLength(names.length)
    const described = own?.describedby?.map(({ href }) => ({ anchor: href, describes: back }))
    expect(described).toContainEqual({ anchor: `${record}/export/json`, describes: back })
    expect(others.slice(0, -names.length)).toEqual(described)
    expect(files).toEqual(own?.item?.map(({ href }) => ({ anchor: href, collection: back })))
    for (const url of [page, record]) {
      const wanted = { headers: { accept: 'application/linkset+json' } }
      expect((await send('GET', url, wanted)).body).toEqual(body)
    }
    const etag = headers.get('etag') ?? ''
    const again = await send('GET', linkset ?? '', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })
})

interface Linkset {
  readonly linkset: readonly {
    readonly anchor: string
    readonly describedby?: readonly { readonly href: string }[]
    readonly item?: readonly { readonly href: string }[]
  }[]
}

interface Published {
  readonly metadata: { readonly _deposit: { readonly value: string } }
}
