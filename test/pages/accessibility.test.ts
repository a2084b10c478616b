import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeScene, type Scene } from './scene.ts'
import { reviewStates } from './review-states.ts'
import { germanStates } from './german-states.ts'
import { states, type State } from './states.ts'
import { desktop, hasBrowser, patience, phone, visit, type Visit } from './visit.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

describe.skipIf(!hasBrowser)('the accessibility of pages', { timeout: patience }, () => {
  let v: Visit
  let scene: Scene
  beforeAll(async () => {
    v = await visit({}, { DEPOSIT_UI_LANGUAGES: 'en,de' })
    scene = await makeScene(v)
  }, patience)
  afterAll(() => v[Symbol.asyncDispose]())

  it.for(states.flatMap((state) => [lit(state, 'light', desktop), lit(state, 'dark', phone)]))(
    'has no violation on $name, in $colorScheme',
    async ({ open, colorScheme, viewport }) => {
      await v.page.setViewportSize(viewport)
      await v.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await open(v, scene)

      expect(await findViolations(v.page)).toEqual([])
      expect(await overflow(v.page)).toBeLessThanOrEqual(0)
    },
  )

  it('is checked: an image without a text is found', async () => {
    await v.page.goto('/deposit/new')
    await v.page.evaluate("document.querySelector('main').append(document.createElement('img'))")

    expect((await findViolations(v.page)).join()).toContain('image-alt')
  })

  it('is kept without a breach of the content security policy', () => {
    expect(v.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the accessibility of pages in German', { timeout: patience }, () => {
  let v: Visit
  let scene: Scene
  beforeAll(async () => {
    v = await visit({ locale: 'de-DE' }, { DEPOSIT_UI_LANGUAGES: 'en,de' })
    scene = await makeScene(v)
  }, patience)
  afterAll(() => v[Symbol.asyncDispose]())

  it.for(
    germanStates.flatMap((state) => [lit(state, 'light', desktop), lit(state, 'dark', phone)]),
  )('has no violation on $name, in $colorScheme', async ({ open, colorScheme, viewport }) => {
    await v.page.setViewportSize(viewport)
    await v.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await open(v, scene)

    expect(await findViolations(v.page)).toEqual([])
    expect(await overflow(v.page)).toBeLessThanOrEqual(0)
    expect(v.complaints).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the accessibility of reviews', { timeout: patience }, () => {
  let v: Visit
  let scene: Scene
  beforeAll(async () => {
    v = await visit({}, { DEPOSIT_REVIEW: 'required' })
    const nothing = await v.api('POST', '/deposits/', { title: 'Nothing' })
    scene = { draft: nothing, edited: nothing, published: nothing, sealed: nothing, deleted: '' }
  }, patience)
  afterAll(() => v[Symbol.asyncDispose]())

  it.for(
    reviewStates.flatMap((state) => [lit(state, 'light', desktop), lit(state, 'dark', phone)]),
  )('has no violation on $name, in $colorScheme', async ({ open, colorScheme, viewport }) => {
    await v.page.setViewportSize(viewport)
    await v.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await open(v, scene)

    expect(await findViolations(v.page)).toEqual([])
    expect(await overflow(v.page)).toBeLessThanOrEqual(0)
    expect(v.complaints).toEqual([])
  })

  it('has no violation on the refusal of others', async () => {
    const { page } = await v.as('olga@example.org')
    await page.goto('/admin/users')
    await page.getByRole('heading', { name: 'This page is for administrators' }).waitFor()
    expect(await findViolations(page)).toEqual([])
  })
})

function lit(state: State, colorScheme: 'light' | 'dark', viewport: typeof desktop) {
  return { ...state, colorScheme, viewport }
}

/** Findings of axe, as `rule: where`. */
async function findViolations(page: Page): Promise<readonly string[]> {
  // The policy of the page would refuse a script of ours, but not one run by the debugger.
  await page.evaluate(axe)
  const options = JSON.stringify({ runOnly: { type: 'tag', values: levels } })
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}

/** Pixels by which the page is wider than the screen. */
function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}
