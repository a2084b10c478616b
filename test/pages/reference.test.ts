import { expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { hasBrowser, patience } from './visit.ts'

it.skipIf(!hasBrowser)(
  '/docs shows operations of the API, with no request elsewhere and no error of the browser',
  { timeout: patience },
  async () => {
    await using daemon = await testDaemon()
    await using browser = await launchBrowser()
    // The library renders what is in view alone.
    const page = await browser.newPage({ viewport: { width: 1280, height: 30_000 } })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => void complaints.push(error.message))
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(daemon.origin))
        complaints.push(request.url())
    })

    const answer = await page.goto(`${daemon.origin}/docs`)
    await page.getByText('Write a file, or a new version of one, as a stream of bytes').waitFor()
    await page.getByText('Create a draft', { exact: true }).click()
    await page.getByText('Idempotency-Key', { exact: false }).first().waitFor()

    const policy = answer?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(complaints).toEqual([])
  },
)
