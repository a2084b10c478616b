import mustache from 'mustache'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../version.ts'
import { escapeHtml } from './escape-html.ts'
import type { languageView } from './page-language.ts'
import { language, text } from './text/text.ts'
import type { TextKey } from './text/text.ts'
import { findAssets } from './assets.ts'
import type { Assets, EntryName } from './assets.ts'
import type { PageSettings, TemplateName } from '../config/page-settings.ts'
import type { PagePaths } from './text/page-data.ts'
import type { FastifyReply } from 'fastify'
import type { Services } from '../api/services.ts'

/** The values for a template. All of them are escaped. */
type PageView = Readonly<Record<string, unknown>> & { readonly title: string }

/** Makes the pages of the service from templates, of which an operator can replace each. */
export type Render = (name: TemplateName, page: ToRender) => Promise<string>

interface ToRender {
  readonly entry: EntryName | 'none'
  readonly view: PageView
  /** The ways to the other languages, where there are several. */
  readonly languages: ReturnType<typeof languageView>
}

/** Paths that templates link to. */
export interface LinkedPages extends PagePaths {
  readonly home: string
  /** Absent where records are not listed for everybody. */
  readonly search: string | undefined
}

/**
 * Fills templates in the language of mustache: it has no code in it, and escapes all values.
 *
 * @see https://mustache.github.io/mustache.5.html
 */
export function createRender(
  { templates }: Pick<PageSettings, 'templates'>,
  pages: LinkedPages,
): Render {
  const own = new Map<TemplateName, Promise<string>>()
  const find = (name: TemplateName): Promise<string> | string => {
    const replaced = templates[name]
    if (replaced !== undefined) return replaced
    const found = own.get(name) ?? readTemplate(name)
    own.set(name, found)
    return found
  }
  return async (name, { entry, view, languages }) => {
    const [layout, content] = [await find('layout'), await find(name)]
    const parts = { cards: await find('cards'), files: await find('files') }
    const whole = {
      ...view,
      pages,
      language: language(),
      languages,
      assets: await assetsOf(entry),
      say: sayText,
    }
    return mustache.render(layout, whole, { content, ...parts }, { escape: escapeHtml })
  }
}

/** A page without a program has the styles of all. */
async function assetsOf(entry: EntryName | 'none'): Promise<Partial<Assets>> {
  if (entry !== 'none') return findAssets(entry, language())
  return { styles: (await findAssets('record')).styles.slice(0, 1) }
}

/** `{{#say}}key{{/say}}` in a template: an entry of the catalogue, escaped. */
function sayText() {
  return (key: string): string => escapeHtml(text(key.trim() as TextKey))
}

function readTemplate(name: TemplateName): Promise<string> {
  return readFile(join(packageRoot, `daemon/pages/templates/${name}.html`), 'utf8')
}

/** JSON that can stand inside a `script` element: nothing in it ends the element. */
export function toScriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}

/** The parts that the routes of the pages need. */
export interface PageParts {
  readonly services: Services
  readonly settings: PageSettings
  /** Sends a page: from a template, with the headers that every page has. */
  readonly send: SendPage
}

export type SendPage = (
  reply: FastifyReply,
  name: Exclude<TemplateName, 'layout' | 'cards' | 'files'>,
  view: PageView,
  /** Seconds until the page changes by itself: caches keep it no longer. */
  mostKept?: number,
) => Promise<FastifyReply>
