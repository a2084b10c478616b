import { describe, expect, it } from 'vitest'
import { choose, openDraft } from './upload-steps.ts'
import { hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('publishing on a page', { timeout: patience }, () => {
  it('shows the record and what becomes public first, and its address and citation afterwards', async () => {
    await using v = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = v
    const draft = await v.api('POST', '/deposits/', {
      title: 'Tides of Husum',
      creators: [{ name: 'Lovelace, Ada' }],
      description: 'Hourly, from **two** gauges:\n\n- north\n- south',
      license: 'CC-BY-4.0',
      publication_date: '2026-11-20',
    })
    await v.upload(draft, 'levels.csv', 'x'.repeat(1200))
    await v.upload(draft, 'notes.txt', 'x'.repeat(300))
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Publish…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish this deposit?' })
    await dialog.getByText('2 files, 1.5 kB').waitFor()
    const facts = await dialog.locator('dl').first().innerText()
    expect(facts.replaceAll(/\s+/g, ' ')).toBe(
      'Title Tides of Husum Files 2 files, 1.5 kB Who can read the files Everybody License CC-BY-4.0',
    )
    const preview = dialog.locator('.publish-preview')
    await preview.getByText('Lovelace, Ada').first().waitFor()
    expect(await preview.locator('li', { hasText: 'south' }).count()).toBe(1)
    expect(await preview.locator('strong').innerText()).toBe('two')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect((await v.api('GET', `/deposits/${draft.id}`)).metadata._deposit.status).toBe('draft')

    await page.getByRole('button', { name: 'Publish…' }).click()
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#just-published:focus').waitFor()
    await page.getByText(/Lovelace, A\. \(2026\)\. Tides of Husum/).waitFor()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('Tides of Husum')
    await page.getByRole('link', { name: 'View the record' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tides of Husum' }).waitFor()
    expect(await page.locator('.prose strong').innerText()).toBe('two')
    expect(v.complaints).toEqual([])
  })

  it('selects the citation where the browser denies the clipboard, and complains of nothing', async () => {
    await using v = await visit()
    const { page } = v
    await page.addInitScript(`
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
    `)
    const draft = await v.api('POST', '/deposits/', { title: 'Tides of Husum' })
    const { links } = await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.goto(links['record_html'] ?? '')

    await page.getByRole('button', { name: 'Copy' }).first().click()

    const field = page.getByLabel('The browser does not let this page copy')
    await field.waitFor()
    expect(await field.inputValue()).toContain('Tides of Husum')
    expect(await page.evaluate('getSelection().toString()')).toContain('Tides of Husum')
    expect(v.complaints).toEqual([])
  })

  it('says something else of a record that is published again', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'First' })
    await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await v.api('POST', `/deposits/${draft.id}/actions/edit`)
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Publish changes…' }).click()
    await page.getByRole('dialog', { name: 'Publish your changes?' }).waitFor()
    await page.getByText('The record keeps its address and its files.').waitFor()
  })
})

describe.skipIf(!hasBrowser)('the question before publishing', { timeout: patience }, () => {
  it('counts a file that was added last, and one that was brought back', async () => {
    await using v = await visit()
    const { page } = v
    await openDraft(v)
    await page.getByLabel('Title').fill('Upload last')
    await page.locator('.save-status.saved').waitFor()
    await choose(page, [{ name: 'a.csv', buffer: Buffer.from('a,b') }])
    await page.getByRole('button', { name: 'Remove a.csv' }).click()
    await page.getByText('Deleted files (1)').click()
    await page.getByRole('button', { name: 'Bring back a.csv' }).click()
    await page.getByRole('button', { name: 'Remove a.csv' }).waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByText('1 file, 3 B').waitFor()
  })

  it('shows what others saved, and publishes nothing that it did not show', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    const change = (value: string) =>
      v.api('PATCH', `/deposits/${draft.id}`, [{ op: 'replace', path: '/title', value }])
    await change('Of another tab')
    await page.getByRole('button', { name: 'Publish…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Of another tab').first().waitFor()

    await change('Of a colleague')
    await v.upload(draft, 'late.txt', 'late')
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog.getByText('The draft was changed meanwhile.').waitFor()
    await dialog.getByText('Of a colleague').first().waitFor()
    await dialog.getByText('1 file, 4 B').waitFor()
    expect((await v.api('GET', `/deposits/${draft.id}`)).metadata._deposit.status).toBe('draft')

    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#just-published').waitFor()
    expect((await v.api('GET', `/deposits/${draft.id}`)).metadata).toMatchObject({
      title: 'Of a colleague',
      _deposit: { status: 'published' },
    })
    expect(v.complaints).toEqual([])
  })

  it('is asked again of a draft that is submitted, with the message that was written', async () => {
    await using v = await visit({}, { DEPOSIT_REVIEW: 'optional' })
    const { page } = v
    const draft = await openDraft(v)
    await page.getByRole('button', { name: 'Submit for review…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No files').waitFor()
    await dialog.getByRole('textbox').fill('Please look at the units.')
    await v.upload(draft, 'late.txt', 'late')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await dialog.getByText('The draft was changed meanwhile.').waitFor()
    expect(await dialog.getByRole('textbox').inputValue()).toBe('Please look at the units.')
    expect(await v.api('GET', `/deposits/${draft.id}`)).not.toHaveProperty('review')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await page.locator('.badge.submitted').waitFor()
  })

  it('says of closed files that they stay closed, and until when', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    const dialog = page.getByRole('dialog')
    const ask = async (access: object) => {
      await v.api('PUT', `/deposits/${draft.id}`, { title: 'Closed', access })
      await page.reload()
      await page.getByRole('button', { name: 'Publish…' }).click()
    }
    await ask({ files: 'restricted', until: '2126-05-01' })
    await dialog.getByText('its files stay closed until 1 May 2126.').waitFor()
    await ask({ files: 'restricted' })
    await dialog.getByText('its files stay closed. The description').waitFor()
    expect(await dialog.getByText('and its files become public').count()).toBe(0)
    await ask({ files: 'public' })
    await dialog.getByText('and its files become public').waitFor()
  })

  it('tells a publication date that a new version has from the one before, and changes it', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    const of1962 = { title: 'Tides', publication_date: '1962-02-16' }
    await v.api('PUT', `/deposits/${draft.id}`, of1962)
    await page.reload()
    const publish = page.getByRole('button', { name: 'Publish…' })
    const dialog = page.getByRole('dialog')
    await publish.click()
    await dialog.getByText('What becomes public').waitFor()
    // Of the first version it is what the person wrote.
    expect(await dialog.getByText('begins with the date').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#just-published').waitFor()
    await page.getByRole('button', { name: 'New version' }).click()

    await publish.click()
    await dialog
      .getByText('16 February 1962. A new version begins with the date of the one before.')
      .waitFor()
    await dialog.getByRole('button', { name: 'Make it today' }).click()
    await dialog.getByText('What becomes public').waitFor()
    await dialog.getByText('begins with the date').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#just-published').waitFor()
    const [, id = ''] = /deposit\/([^/?]+)/.exec(page.url()) ?? []
    const { metadata } = await v.api('GET', `/deposits/${id}`)
    expect(metadata).toMatchObject({ publication_date: new Date().toISOString().slice(0, 10) })
    expect(v.complaints).toEqual([])
  })

  it('is not asked of files that are to be closed until a day that has passed', async () => {
    await using v = await visit()
    const { page } = v
    const access = { files: 'restricted', until: '2020-05-01' }
    const draft = await v.api('POST', '/deposits/', { title: 'Interviews', access })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByText('This day has passed: the files would be public at once.').waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click()
    const fault = page.getByRole('region', { name: '1 problem' })
    await fault.getByText('1 May 2020 has come.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)

    await fault.getByRole('button', { name: 'Closed until another day' }).click()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('2999-05-01')
    await fault.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByText('Files open on 1 May 2999.').first().waitFor()
    expect(v.complaints).toEqual([])
  })

  it.for([
    ['Files open to everybody', { files: 'public' }],
    ['Closed without a day', { files: 'restricted', reason: 'Names of people' }],
  ] as const)('is asked again once a day that has passed is gone: %s', async ([name, left]) => {
    await using v = await visit()
    const { page } = v
    const access = { files: 'restricted', until: '2020-05-01', reason: 'Names of people' }
    const draft = await v.api('POST', '/deposits/', { title: 'Interviews', access })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('button', { name }).click()
    await page.getByRole('region', { name: '1 problem' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Publish/ })
      .waitFor()
    const { metadata } = await v.api('GET', `/deposits/${draft.id}`)
    expect(metadata).toHaveProperty('access', left)
    expect(v.complaints).toEqual([])
  })

  it('is not asked of a draft that somebody has published meanwhile', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByText('The draft was submitted or published meanwhile').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('is about the draft as it is when the window gets the focus again', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await openDraft(v)
    await v.api('PATCH', `/deposits/${draft.id}`, [
      { op: 'replace', path: '/title', value: 'Of a colleague' },
    ])
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByRole('heading', { level: 1, name: 'Of a colleague' }).waitFor()
    expect(await page.getByLabel(/^Title/).inputValue()).toBe('Of a colleague')
    await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.locator('.badge.published').waitFor()
  })
})

describe.skipIf(!hasBrowser)('the list of deposits', { timeout: patience }, () => {
  it('goes back through filters, searches and pages', async () => {
    await using v = await visit()
    const { page } = v
    for (let number = 0; number < 12; number += 1)
      await v.api('POST', '/deposits/', { title: number === 7 ? 'Neap tide' : `Tide ${number}` })
    await page.goto('/deposit/new')
    await page.goto('/deposit')
    await page.getByText('1–10 of 12').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('11–12 of 12').waitFor()
    await page.locator('label.segment', { hasText: 'Published' }).click()
    await page.getByText('Nothing found').waitFor()
    await page.goBack()
    await page.getByText('11–12 of 12').waitFor()
    await page.goBack()
    await page.getByText('1–10 of 12').waitFor()
    await page.getByRole('searchbox').pressSequentially('neap')
    await expect.poll(() => page.locator('.deposit-row').count()).toBe(1)
    await page.goBack()
    await page.getByText('1–10 of 12').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.goForward()
    await expect.poll(() => page.locator('.deposit-row').count()).toBe(1)
    expect(await page.getByRole('searchbox').inputValue()).toBe('neap')
  })

  it('tells new drafts from records being edited, who made them, and where the record is', async () => {
    await using v = await visit()
    const { page } = v
    await v.api('POST', '/deposits/', { title: 'New' })
    const creators = ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name: `${name}, Ada` }))
    const edited = await v.api('POST', '/deposits/', { title: 'Corrected', creators })
    const { metadata } = await v.api('POST', `/deposits/${edited.id}/actions/publish`)
    await v.api('POST', `/deposits/${edited.id}/actions/edit`)
    await page.goto('/deposit')
    const row = page.locator('.deposit-row', { hasText: 'Corrected' })
    await row.getByText('Published, being edited').waitFor()
    await row.getByText('A, Ada; B, Ada; C, Ada; 2 more').waitFor()
    const others = page.locator('.deposit-row', { hasText: 'New' })
    expect(await others.locator('.badge').innerText()).toBe('Draft')
    await row.getByRole('link', { name: `Record ${metadata._deposit.value}` }).click()
    await page.waitForURL(`**/records/${metadata._deposit.value}`)
  })
})

describe.skipIf(!hasBrowser)('a preview', { timeout: patience }, () => {
  it('shows Markdown, JSON, notebooks, archives, drawings and tables, one after another', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Previews' })
    const notebook = {
      cells: [
        { cell_type: 'markdown', source: ['# Tides\n', 'of *Husum*'] },
        { cell_type: 'code', source: 'print(6)', outputs: [{ text: ['6\n'] }] },
      ],
    }
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>document.title="x"</script></svg>'
    const zip = Buffer.from(
      'UEsDBBQAAAAAAAAAIQCsKpPYAgAAAAIAAAAFAAAAYS50eHRoaVBLAQIUAxQAAAAAAAAAIQCsKpPYAgAAAAIAAAAFAAAAAAAAAAAAAACAAQAAAABhLnR4dFBLBQYAAAAAAQABADMAAAAlAAAAAAA=',
      'base64',
    )
    const rows = ['day,level', ...Array.from({ length: 300 }, (_, at) => `${at},${at * 2}`)].join(
      '\n',
    )
    const contents: readonly (readonly [string, string | Buffer])[] = [
      ['README.md', '# Tides\n\nSee https://example.org and *this*.'],
      ['data.json', '{"a":{"b":1}}'],
      ['plot.svg', svg],
      ['run.ipynb', JSON.stringify(notebook)],
      ['table.csv', rows],
      ['all.zip', zip],
    ]
    for (const [key, bytes] of contents) await v.upload(draft, key, bytes)
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('button', { name: 'Preview README.md' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('em', { hasText: 'this' }).waitFor()
    await dialog.getByRole('link', { name: 'https://example.org' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Previous file' }).isDisabled()).toBe(true)
    const next = dialog.getByRole('button', { name: 'Next file' })
    await next.click()
    await dialog.getByText('"b": 1').waitFor()
    await next.click()
    const width = "document.querySelector('.preview img')?.naturalWidth"
    await expect.poll(() => page.evaluate(width)).toBe(40)
    expect(await page.title()).not.toBe('x')
    await next.click()
    await dialog.locator('em', { hasText: 'Husum' }).waitFor()
    await dialog.locator('pre.output', { hasText: '6' }).waitFor()
    await next.click()
    await dialog.getByText('300 rows, 2 columns. The first 199 are shown.').waitFor()
    await next.click()
    await dialog.getByRole('cell', { name: 'a.txt' }).waitFor()
    expect(await next.isDisabled()).toBe(true)
    expect(v.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('a preview of a PDF', { timeout: patience }, () => {
  it('opens in a tab of its own, as a PDF whatever it holds, in the deposit and the record', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Papers' })
    const script = '<script>document.title = "run"; opener?.alert(1)</script>'
    await v.upload(draft, 'paper.pdf', `%PDF-1.4\n${script}`)
    const { metadata } = await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    for (const path of [`/deposit/${draft.id}`, `/records/${metadata._deposit.value}`]) {
      await page.goto(path)
      await page.getByRole('button', { name: 'Preview paper.pdf' }).click()
      const link = page.getByRole('link', { name: 'Open the PDF in a new tab paper.pdf' })
      expect(await link.getAttribute('href')).toMatch(/^blob:/)
      expect(await link.getAttribute('rel')).toBe('noopener')
      // This browser has no viewer and saves the file; it never takes it for a page.
      const [download] = await Promise.all([page.context().waitForEvent('download'), link.click()])
      expect(download.suggestedFilename()).toMatch(/\.pdf$/)
    }
    expect(v.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('a record with many files', { timeout: patience }, () => {
  it('has them in folders that open, each with its preview, without a script as well', async () => {
    await using v = await visit({ javaScriptEnabled: false })
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Many' })
    for (let number = 0; number < 21; number += 1) await v.upload(draft, `raw/${number}.csv`, 'a,b')
    await v.upload(draft, 'README.md', '# Many')
    const { metadata } = await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.goto(`/records/${metadata._deposit.value}`)
    await page.getByRole('link', { name: 'Download README.md' }).waitFor()
    const inside = page.getByRole('link', { name: 'Download raw/7.csv' })
    expect(await inside.isVisible()).toBe(false)
    await page.locator('summary', { hasText: 'raw/ 21 files, 63 B' }).click()
    await inside.waitFor()
  })
})

describe.skipIf(!hasBrowser)('a record on paper', { timeout: patience }, () => {
  it('has whole digests and one citation, and no buttons and exports', async () => {
    await using v = await visit()
    const { page } = v
    const draft = await v.api('POST', '/deposits/', { title: 'Printed' })
    await v.upload(draft, 'a.txt', 'a')
    const { metadata } = await v.api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.goto(`/records/${metadata._deposit.value}`)
    await page.getByRole('button', { name: 'Copy' }).first().waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('link', { name: /^Download/ }).count()).toBe(0)
    const cut =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.digest'))"
    expect(await page.evaluate<number>(cut)).toBeLessThan(2)
    const boxes = await Promise.all(
      (await page.locator('.citation').all()).map((citation) => citation.boundingBox()),
    )
    const read = boxes.filter((box) => (box?.height ?? 0) > 10)
    expect(read.length).toBe(1)
    expect(await page.getByRole('heading', { name: 'Export' }).isVisible()).toBe(false)
  })
})
