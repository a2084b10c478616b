import { describe, expect, it } from 'vitest'
import { hasBrowser, patience, visit } from './visit.ts'

const strings = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '</script><script>alert(1)</script>',
  "'; alert(1); //",
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '{{{title}}}',
  '<!--<script>',
  '&lt;b&gt;',
  '\u202Egnp.exe',
]
const whole = strings.join(' ')

const document = {
  title: whole,
  description: whole,
  creators: [{ name: whole, orcid: whole, affiliation: strings }],
  keywords: strings,
  license: 'javascript:alert(1)',
  version: whole,
  related_identifiers: strings.map((identifier) => ({
    identifier,
    relation: 'Cites',
    scheme: 'url',
  })),
  notes: 'javascript:alert(1)',
  unknown_field: { '<img src=x onerror=alert(1)>': strings },
}

describe.skipIf(!hasBrowser)('hostile metadata and file names', { timeout: patience }, () => {
  it('show as text, and never run', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { ...document, creators: [], license: 'MIT' })
    await api('PATCH', `/deposits/${draft.id}`, [
      { op: 'add', path: '/creators', value: [{ name: whole }] },
      { op: 'add', path: '/license', value: document.license },
    ])
    await v.upload(
      draft,
      '<img src=x onerror=alert(1)>.csv',
      'a,b\n<script>alert(1)</script>,=1+1\n',
    )
    await v.upload(draft, 'x.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    await v.upload(draft, 'page.html', '<script>alert(1)</script>')
    await v.upload(draft, 'fake.pdf', '<html><script>alert(1)</script>')
    await v.upload(draft, 'fake.png', '<html><script>alert(1)</script>')

    await page.goto('/deposit')
    await page.getByText('onerror=alert(1)').first().waitFor()
    await page.goto(`/deposit/${draft.id}`)
    for (const name of [
      '<img src=x onerror=alert(1)>.csv',
      'x.svg',
      'page.html',
      'fake.pdf',
      'fake.png',
    ]) {
      await page.getByRole('button', { name: `Preview ${name}` }).click()
      await page.locator('.preview :is(pre, td, .notice, img)').first().waitFor()
      expect(await page.locator('.preview :is(iframe, embed, object, svg, script)').count()).toBe(0)
      await page.getByRole('button', { name: 'Close' }).click()
    }
    expect(await page.getByRole('textbox', { name: /^Title/ }).inputValue()).toBe(whole)

    const published = await api('POST', `/deposits/${draft.id}/actions/publish`)
    await page.goto(`/deposit/${draft.id}`)
    await page.getByRole('region', { name: 'Metadata' }).getByText('License').waitFor()
    expect(await page.locator('h1').textContent()).toBe(whole)
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
    await page.goto(`/records/${published.metadata._deposit.value}`)
    expect(await page.locator('h1').textContent()).toBe(whole)
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
    expect(await page.locator('main img, main svg, main script').count()).toBe(0)
    const described = await page.locator('script[type="application/ld+json"]').textContent()
    expect(JSON.parse(described ?? '')).toMatchObject({ name: whole })
    expect(v.complaints).toEqual([])
  })

  it('never run, even inside the markup of a page', async () => {
    await using v = await visit()
    const { page, api } = v
    const draft = await api('POST', '/deposits/', { title: 'Markup' })
    await page.goto(`/deposit/${draft.id}`)
    await page.getByLabel('Title').waitFor()
    const attempts = [
      "document.body.innerHTML = '<img src=x onerror=alert(1)>'",
      "document.write('<script>alert(1)</script>')",
      "document.createElement('script').text = 'alert(1)'",
      "document.querySelector('main').insertAdjacentHTML('beforeend', '<b>x</b>')",
      "trustedTypes.createPolicy('own', { createHTML: (text) => text })",
      "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    ]
    for (const attempt of attempts) {
      const outcome = `(() => { try { ${attempt}; return 'done' } catch (error) { return error.name } })()`
      expect([attempt, await page.evaluate(outcome)]).toEqual([attempt, 'TypeError'])
    }
    // Nothing is fetched from another origin, or sent there.
    await page.evaluate(`(() => {
      const image = new Image()
      image.src = 'https://elsewhere.example/pixel.png'
      document.body.append(image)
      void fetch('https://elsewhere.example/').catch(() => undefined)
    })()`)
    await expect.poll(() => v.complaints.join()).toMatch(/violates.*img-src/)
    await expect.poll(() => v.complaints.join()).toMatch(/violates.*connect-src/)
  })
})
