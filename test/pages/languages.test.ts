import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { problems } from '../../core/contract/problems.ts'
import { advice } from '../../daemon/issuer-advice.ts'
import { account } from '../../daemon/pages/text/account.ts'
import { addedNotes } from '../../daemon/pages/text/added-notes.ts'
import { adminViews } from '../../daemon/pages/text/admin-views.ts'
import { aside } from '../../daemon/pages/text/aside.ts'
import { conflict } from '../../daemon/pages/text/conflict.ts'
import { de } from '../../daemon/pages/text/de/de.ts'
import { issuerPhrases } from '../../daemon/pages/text/de/issuer-phrases.ts'
import { en as shownAtOnce } from '../../daemon/pages/text/en.ts'
import { imports } from '../../daemon/pages/text/imports.ts'
import { listSelection } from '../../daemon/pages/text/list-selection.ts'
import { past } from '../../daemon/pages/text/past.ts'
import { pastDay } from '../../daemon/pages/text/past-day.ts'
import { previewWords } from '../../daemon/pages/text/preview-words.ts'
import { publishing } from '../../daemon/pages/text/publishing.ts'
import { uploads } from '../../daemon/pages/text/uploads.ts'
import { withdraw } from '../../daemon/pages/text/withdraw.ts'
import { followLanguage, translated } from '../../daemon/pages/text/text.ts'
import { translatePhrase } from '../../daemon/pages/text/phrases.ts'
import { shippedTerms } from '../../core/vocabularies/shipped-terms.ts'
import { send } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const en: Readonly<Record<string, string>> = {
  ...shownAtOnce,
  ...account,
  ...addedNotes,
  ...adminViews,
  ...aside,
  ...conflict,
  ...imports,
  ...past,
  ...pastDay,
  ...uploads,
  ...withdraw,
  ...listSelection,
  ...previewWords,
  ...publishing,
}
const german: Readonly<Record<string, string>> = de.texts

/** Texts that are the same in both languages. */
const sameInBoth = new Set(
  `admin.name brand list.status admin.status admin.ofBytes form.type.string links.at links.title links.unnamed
  record.between record.named record.export record.version record.versionWord time.hours time.minutes
  time.seconds upload.sending uploads.label uploads.speed`.split(/\s+/),
)

describe('the texts in German', () => {
  it('are as many as those in English', () => {
    expect(Object.keys(german).toSorted()).toEqual(Object.keys(en).toSorted())
  })

  it('are German, but for those that both languages share', () => {
    const left = Object.keys(en).filter((key) => en[key] !== '' && german[key] === en[key])

    expect(left.toSorted()).toEqual([...sameInBoth].toSorted())
  })

  it('have the places of the English ones, and no other', () => {
    for (const [key, text] of Object.entries(en)) {
      expect([key, placesIn(german[key] ?? '')]).toEqual([key, placesIn(text)])
    }
  })

  it('tell the labels and hints of the schemas of the package', () => {
    const labels = [...new Set(labelsIn(packageSchemas))]

    expect(labels.length).toBeGreaterThan(90)
    expect(labels.filter((label) => !Object.hasOwn(de.phrases, label))).toEqual([])
  })

  it.for(['resource-types', 'relations', 'roles'] as const)('name all %s', async (name) => {
    const terms = await shippedTerms(name)

    expect(terms.map(({ title }) => title).filter((title) => !(title in de.terms))).toEqual([])
  })

  it('tell the problems that a person meets', () => {
    const forPrograms = new Set(
      `moved newest_version malformed_json invalid_patch insufficient_scope cross_origin
      deposit_not_found record_not_found deposit_deleted record_withdrawn method_not_allowed
      not_acceptable request_timeout upload_conflict upload_locked unknown_tus_version body_too_large
      unsupported_media_type range_not_satisfiable unmet_expectation wrong_host
      idempotency_key_reused head_too_large upload_checksum_mismatch storage_failed
      not_implemented`.split(/\s+/),
    )
    const left = Object.entries(problems)
      .filter(([code, { message }]) => !forPrograms.has(code) && !(message in de.phrases))
      .map(([code]) => code)

    expect(left).toEqual([])
  })

  it('tell what the pages of the issuer advise', () => {
    const said = Object.values(advice as Readonly<Record<string, (...of: never[]) => string>>).map(
      (tell) => tell(...([8, 9] as unknown as never[])),
    )

    expect(said.filter((text) => translatePhrase(issuerPhrases, text) === text)).toEqual([])
  })

  it('write amounts inside them as the language does', () => {
    const phrase = 'The description has 12 characters; Google Dataset Search takes 50 to 5,000.'
    const before = followLanguage(() => 'de')
    try {
      expect(translated(phrase)).toContain('nimmt 50 bis 5.000.')
    } finally {
      followLanguage(before)
    }
    expect(translated(phrase)).toBe(phrase)
  })

  it.for([
    ['Title is missing.', '„Titel“ fehlt.'],
    [
      'Keywords must be a list. Write: "keywords": ["tide gauge"]',
      '„Schlagwörter“ muss eine Liste sein. Schreiben Sie: "keywords": ["tide gauge"]',
    ],
    ['A deposit may have 5 files and no more. ', 'A deposit may have 5 files and no more. '],
    [
      'The parenthesis is not closed. (at character 6 of the query)',
      'Die Klammer ist nicht geschlossen. (bei Zeichen 6 der Suchanfrage)',
    ],
    [
      '"CC BY" is not an SPDX identifier; did you mean "CC-BY-4.0"?',
      '„CC BY“ ist keine SPDX-Kennung; meinten Sie „CC-BY-4.0“?',
    ],
  ] as const)('tell %s', ([english, expected]) => {
    expect(translatePhrase(de.phrases, english)).toBe(expected)
  })
})

describe('the language of a page', () => {
  let daemon: TestDaemon
  let record: string
  beforeAll(async () => {
    daemon = await testDaemon({ env: { DEPOSIT_UI_LANGUAGES: 'en,de' } })
    const document = { title: 'Tides', resource_type: 'dataset', notes: 'n', license: 'CC-BY-4.0' }
    const { metadata } = await daemon.as('ada').createPublished(document)
    record = `/records/${metadata._deposit?.value}`
  })
  afterAll(() => daemon[Symbol.asyncDispose]())
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send('GET', daemon.origin + path, {
      headers: { accept: 'text/html,*/*;q=0.8', ...headers },
    })
  const inGerman = { 'accept-language': 'de-AT,en;q=0.5' }

  it.for([
    ['a browser that prefers German', inGerman, 'de', 'Öffentliche Einträge suchen'],
    ['a browser that prefers neither', { 'accept-language': 'fr' }, 'en', 'Search public records'],
    ['a browser that does not say', {}, 'en', 'Search public records'],
    [
      'a person who chose it',
      { 'accept-language': 'en', cookie: 'a=b; deposit_language=de' },
      'de',
      'Öffentliche Einträge suchen',
    ],
  ] as const)('is that of %s', async ([, headers, lang, said]) => {
    const { bytes, headers: answered } = await get('/', headers)
    const html = bytes.toString()

    expect(html).toContain(`<html lang="${lang}">`)
    expect(html).toContain(said)
    expect(answered.get('vary')).toMatch(/accept-language.*cookie/)
  })

  it('is chosen at the foot of a page, kept, and leads back to the page', async () => {
    const html = (await get('/records?q=tides&page=1')).bytes.toString()
    const link = /href="([^"]*lang=de)"/.exec(html)?.[1]?.replaceAll('&#38;', '&') ?? ''
    const { status, headers } = await get(link)
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    const page = (await get(headers.get('location') ?? '', { cookie })).bytes.toString()

    expect([status, headers.get('location')]).toEqual([303, '/records?q=tides&page=1'])
    expect(page).toContain('Suchergebnisse für „tides“')
  })

  it('chooses no language that is not offered, and leads to no other host', async () => {
    expect((await get('/?lang=fr')).status).toBe(200)
    const { headers } = await get('//other.example/?lang=de')

    expect(headers.get('location') ?? '/').toMatch(/^\/(?!\/)/)
  })

  it('is that of records, with days, numbers, terms, and labels of the schema', async () => {
    const html = (await get(record, inGerman)).bytes.toString()
    const english = (await get(record)).bytes.toString()

    expect(html).toContain('Datensatz')
    expect(html).toContain('<dt>Bemerkungen</dt>')
    expect(html).toContain('Zum ersten Mal veröffentlicht')
    expect(html).toMatch(/>\d+\. [A-ZÄ][a-zä]+ \d{4}</)
    expect(english).toContain('First published')
    expect(english).toContain('<dt>Notes</dt>')
  })

  it('is that of searches that fail, and of addresses where nothing is', async () => {
    const search = (await get('/records?q=title%3A(', inGerman)).bytes.toString()
    const missing = (await get('/nothing', inGerman)).bytes.toString()

    expect(search).toContain('Die Suchanfrage endet, wo ein Begriff stehen müsste.')
    expect(missing).toContain('Hier ist nichts')
  })

  it('is that of the pages of the issuer, before and after a form is sent', async () => {
    const page = (await get('/device', inGerman)).bytes.toString()
    const again = await send('POST', `${daemon.origin}/device`, {
      headers: {
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        ...inGerman,
      },
      body: 'user_code=BCDF-GHJK',
    })

    expect(page).toContain('<html lang="de">')
    expect(page).toContain('Ein Gerät verbinden')
    expect(again.bytes.toString()).toContain('Kein Programm wartet auf diesen Code.')
  })

  it('stays English in the interface', async () => {
    const { bytes } = await get('/api/deposits/nothing', {
      ...inGerman,
      accept: 'application/json',
    })

    expect(bytes.toString()).toContain('A valid access token is needed.')
  })
})

describe('a service of one language', () => {
  it('speaks that one, and offers no choice', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_UI_LANGUAGES: 'de' } })
    const { bytes, headers } = await send('GET', `${daemon.origin}/`, {
      headers: { accept: 'text/html', 'accept-language': 'en' },
    })

    expect(bytes.toString()).toContain('<html lang="de">')
    expect(bytes.toString()).not.toContain('lang=en')
    expect(headers.get('vary')).not.toContain('cookie')
  })

  it('keeps the words of its own schemas, templates and messages', async () => {
    await using daemon = await testDaemon({
      env: { DEPOSIT_UI_LANGUAGES: 'de', DEPOSIT_RESPONSE_MESSAGES: '{"publish":"Well done."}' },
    })
    const { bytes } = await send('GET', `${daemon.origin}/deposit`, {
      headers: { accept: 'text/html' },
    })

    expect(bytes.toString()).toContain('Well done.')
  })
})

function placesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted()
}

function labelsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    (name === 'title' || name === 'description') && typeof inner === 'string'
      ? [inner]
      : labelsIn(inner),
  )
}
