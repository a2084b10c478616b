import { spared } from '../../core/base/spared.ts'
import { giveWay } from '../../core/base/turns.ts'
import { element, xmlDocument } from '../../core/index.ts'
import type { Database, Markup, RecordChange } from '../../core/index.ts'
import type { Links } from '../config/links.ts'

interface Sizes {
  /** Addresses of a sitemap. @see https://www.sitemaps.org/protocol.html */
  readonly mostUrls: number
  /** Rows that are read or passed in one piece, several of which make a sitemap. */
  readonly pieceLength: number
}

/** A piece is a few milliseconds of SQLite. */
const usual: Sizes = { mostUrls: 50_000, pieceLength: 5000 }

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
  links: Pick<Links, 'recordPage'>,
  origin: () => string,
  { mostUrls, pieceLength }: Sizes = usual,
): Sitemaps {
  return {
    index: spared(async () => {
      const maps: Markup[] = []
      let last: RecordChange | undefined
      do {
        const map = await endOfMap(last)
        last = map.last
        if (last) maps.push(entry('sitemap', `${origin()}/sitemaps/${maps.length + 1}.xml`, last))
        if (!map.isFull) last = undefined
      } while (last)
      return xmlDocument(element('sitemapindex', { xmlns: namespace }, maps))
    }),
    numbered: async (number) => {
      let last: RecordChange | undefined
      for (let skipped = 1; skipped < number; skipped += 1) {
        const map = await endOfMap(last)
        if (!map.isFull) return undefined
        last = map.last
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
      const piece = await readPiece(found.at(-1) ?? after)
      found.push(...piece)
      if (piece.length < pieceLength) break
    }
    return found
  }

  async function readPiece(after: RecordChange | undefined): Promise<readonly RecordChange[]> {
    await giveWay()
    return records.changes({ after, limit: pieceLength })
  }

  /** The last record of the sitemap that begins after one; of its pieces only the last is read. */
  async function endOfMap(after: RecordChange | undefined): Promise<MapEnd> {
    let last: RecordChange | undefined
    for (let length = 0; length < mostUrls; length += pieceLength) {
      await giveWay()
      const end = { after: last ?? after, offset: pieceLength - 1, limit: 1 }
      const [found] = await records.changes(end)
      if (!found) return { last: (await readPiece(last ?? after)).at(-1) ?? last, isFull: false }
      last = found
    }
    return { last, isFull: true }
  }
}

interface MapEnd {
  /** None where the sitemap would be empty. */
  readonly last: RecordChange | undefined
  readonly isFull: boolean
}

function entry(name: string, address: string, { updated }: RecordChange): Markup {
  return element(name, {}, [element('loc', {}, address), element('lastmod', {}, updated)])
}
