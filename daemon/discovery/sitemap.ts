import { spared } from '../../core/base/spared.ts'
import { giveWay } from '../../core/base/turns.ts'
import { element, xmlDocument } from '../../core/index.ts'
import type { Database, Markup, RecordChange } from '../../core/index.ts'
import type { Links } from '../config/links.ts'

/** Addresses of a sitemap. @see https://www.sitemaps.org/protocol.html */
const mostUrls = 50_000

/** Rows that are read in one piece: a few milliseconds of SQLite. */
const pieceLength = 5000

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9'

interface Sitemaps {
  /** The index of the sitemaps. */
  readonly index: () => Promise<string>
  /** The sitemap of this number, from 1 on; undefined where there is none. */
  readonly numbered: (number: number) => Promise<string | undefined>
}

/** Lists the addresses of records by their last change, oldest first. */
export function sitemaps(
  { records }: Database['read'],
  links: Links,
  origin: () => string,
): Sitemaps {
  return {
    index: spared(async () => {
      const maps: Markup[] = []
      let last: RecordChange | undefined
      do {
        const piece = await readMap(last)
        last = piece.at(-1)
        if (last) maps.push(entry('sitemap', `${origin()}/sitemaps/${maps.length + 1}.xml`, last))
        if (piece.length < mostUrls) last = undefined
      } while (last)
      return xmlDocument(element('sitemapindex', { xmlns: namespace }, maps))
    }),
    numbered: async (number) => {
      let last: RecordChange | undefined
      for (let skipped = 1; skipped < number; skipped += 1) {
        last = await skip(last)
        if (!last) return undefined
      }
      const urls: Markup[] = []
      for (const change of await readMap(last)) {
        if (urls.length % 500 === 0) await giveWay()
        urls.push(entry('url', links.recordPage(change.value), change))
      }
      if (urls.length === 0 && number > 1) return undefined
      return xmlDocument(element('urlset', { xmlns: namespace }, urls))
    },
  }

  async function readMap(after: RecordChange | undefined): Promise<readonly RecordChange[]> {
    const found: RecordChange[] = []
    while (found.length < mostUrls) {
      await giveWay()
      const request = { after: found.at(-1) ?? after, limit: pieceLength }
      const piece = await records.changes(request)
      found.push(...piece)
      if (piece.length < pieceLength) break
    }
    return found
  }

  /** The last of the sitemap that begins after a record. */
  async function skip(after: RecordChange | undefined): Promise<RecordChange | undefined> {
    const found = await readMap(after)
    return found.length < mostUrls ? undefined : found.at(-1)
  }
}

function entry(name: string, address: string, { updated }: RecordChange): Markup {
  return element(name, {}, [element('loc', {}, address), element('lastmod', {}, updated)])
}
