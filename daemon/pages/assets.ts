import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../version.ts'
import type { Language } from './text/languages.ts'

/** The built files that a page loads; their names carry a hash of the content. */
export interface Assets {
  readonly script: string
  readonly styles: readonly string[]
  /** The texts of the language of the page, where it is not English: they are loaded at once. */
  readonly texts?: string
}

/** The programs that pages load: that of the deposit pages, and that of a record's page. */
export type EntryName = 'app' | 'record' | 'reference'

interface ManifestEntry {
  readonly file: string
  readonly css?: readonly string[]
}

const assetsPrefix = '/assets/'
const folder = join(packageRoot, 'dist/daemon/pages/assets')
const sources = {
  app: 'main.tsx',
  record: 'record.tsx',
  reference: 'reference.ts',
  styles: 'styles/main.css',
} as const

let manifest: Promise<Readonly<Record<string, ManifestEntry>>> | undefined

/** The URLs of an entry, read from the build's manifest when a page is first asked for. */
export async function findAssets(name: EntryName, language: Language = 'en'): Promise<Assets> {
  manifest ??= readManifest()
  const entries = await manifest
  const [script, styles] = [entries[sources[name]], entries[sources.styles]]
  if (!script || !styles) throw new Error(`the build has no ${name}; run "npm run build"`)
  const texts = entries[`../text/${language}/${language}.ts`]
  return {
    ...(texts && { texts: assetsPrefix + texts.file }),
    script: assetsPrefix + script.file,
    styles: [styles.file, ...(script.css ?? [])].map((file) => assetsPrefix + file),
  }
}

/** The icon of the site (SVG). */
export function readIcon(): Promise<Buffer> {
  return readFile(join(folder, 'icon.svg'))
}

/** Serves what was built. Nothing is listed, and nothing outside the folder is reached. */
export const assetRoutes: FastifyPluginAsync = async (app) => {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: assetsPrefix,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = /-[\w-]{8}\.\w+(?:\.br)?$/.test(path)
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      reply.header('cross-origin-resource-policy', 'same-origin')
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    },
  })
}

async function readManifest(): Promise<Readonly<Record<string, ManifestEntry>>> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8')
  return JSON.parse(text) as Readonly<Record<string, ManifestEntry>>
}
